"""Lines as visitors type them, each with its questions as they are searched."""

TOGETHER: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "what gpa do i need to transfer and whens the deadline and do my community college credits count",
        (
            "what gpa do i need to transfer",
            "whens the deadline (transfer)?",
            "do my community college credits count (transfer)?",
        ),
    ),
    (
        "what gpa do i need to transfer and when is the deadline",
        ("what gpa do i need to transfer", "when is the deadline (transfer)?"),
    ),
    ("how do i apply and what documents do i need", ("how do i apply", "what documents do i need (apply)?")),
    (
        "how do i apply for housing and how much is the deposit",
        ("how do i apply for housing", "how much is the deposit (housing)?"),
    ),
    ("how do i transfer whats the deadline", ("how do i transfer", "whats the deadline (transfer)?")),
    (
        "transfer deadline for spring? and how much is the app fee",
        ("transfer deadline for spring?", "how much is the app fee (transfer spring)?"),
    ),
    (
        "whats the deadline and how do i apply for the nursing program",
        ("whats the deadline (nursing program)?", "how do i apply for the nursing program"),
    ),
    (
        "how do i register for classes and whats the deadline",
        ("how do i register for classes", "whats the deadline (register classes)?"),
    ),
    (
        "can i park overnight and how much is the fee",
        ("can i park overnight", "how much is the fee (park overnight)?"),
    ),
    ("how do i withdraw and whats the deadline", ("how do i withdraw", "whats the deadline (withdraw)?")),
    (
        "how do i get into the honors program and what gpa do i need",
        ("how do i get into the honors program", "what gpa do i need (honors program)?"),
    ),
    (
        "where do i study abroad and what are the requirements",
        ("where do i study abroad", "what are the requirements (study abroad)?"),
    ),
    (
        "how do i join the payment plan and whats the fee",
        ("how do i join the payment plan", "whats the fee (payment plan)?"),
    ),
    (
        "where is the career center and what are the hours",
        ("where is the career center", "what are the hours (career center)?"),
    ),
    (
        "where is the health center, what are the hours",
        ("where is the health center", "what are the hours (health center)?"),
    ),
    (
        "where is the health center what are the hours",
        ("where is the health center", "what are the hours (health center)?"),
    ),
    (
        "career center: what floor + when can i just walk in",
        ("career center: what floor", "when can i just walk in (career center)?"),
    ),
    (
        "financial aid: what is the deadline and what is the phone number",
        ("financial aid: what is the deadline", "what is the phone number (financial aid)?"),
    ),
    (
        "is there a shuttle to the airport and what is the cost",
        ("is there a shuttle to the airport", "what is the cost (shuttle airport)?"),
    ),
    (
        "who is the dean of nursing and what is the phone number",
        ("who is the dean of nursing", "what is the phone number (dean nursing)?"),
    ),
    (
        "cómo solicito una beca y cuál es el plazo",
        ("cómo solicito una beca", "cuál es el plazo (solicito beca)?"),
    ),
    (
        "how do i order a parking permit and where is the office",
        ("how do i order a parking permit", "where is the office (order parking permit)?"),
    ),
    (
        "do you have an mba and what are the requirements and what is the deadline",
        ("do you have an mba", "what are the requirements (mba)?", "what is the deadline (mba)?"),
    ),
    ("when is orientation? what is the cost?", ("when is orientation?", "what is the cost (orientation)?")),
    ("how much is housing? is there a deposit?", ("how much is housing?", "is there a deposit (housing)?")),
)

APART: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("how much is parking and when does the gym close", ("how much is parking", "when does the gym close")),
    (
        "when do the dorms reopen and when do classes start",
        ("when do the dorms reopen", "when do classes start"),
    ),
    ("What is minimum TOEFL, and is Duolingo ok", ("What is minimum TOEFL", "is Duolingo ok")),
    (
        "late fee on bill?? and how much to join the payment plan",
        ("late fee on bill??", "how much to join the payment plan"),
    ),
    ("where is the bookstore, how do i get a locker", ("where is the bookstore", "how do i get a locker")),
    (
        "who is the president and how many students are there",
        ("who is the president", "how many students are there"),
    ),
    (
        "is the pool open to kids and where can i buy a meal plan",
        ("is the pool open to kids", "where can i buy a meal plan"),
    ),
    ("can i bring a bike and is there a laundry room", ("can i bring a bike", "is there a laundry room")),
    (
        "how do i reset my password also where is the help desk",
        ("how do i reset my password", "where is the help desk"),
    ),
    ("do you offer nursing; is there a swim team", ("do you offer nursing", "is there a swim team")),
    ("what is the mascot plus where is the museum", ("what is the mascot", "where is the museum")),
    ("how much is tuition but can i get a scholarship", ("how much is tuition", "can i get a scholarship")),
)

WHOLE: tuple[str, ...] = (
    "do i apply to the grad school or the department",
    "is it free or do i pay",
    "when does the library close or is it open all night",
    "do i need to live on campus or can i commute",
    "hours and location of the gym",
    "library hours and phone number",
    "what are the requirements and deadlines for the mba",
    "can i drop a class and get a refund",
    "if i drop a class, do i get a refund",
    "when i transfer, do i need to send transcripts",
    "when is graduation and what time",
    "when is reunion and what does it cost",
    "how do i find out what are the graduation requirements",
    "do you know when is the fafsa deadline",
    "can you tell me what is the fee for late registration",
    "how do i check what is on my account",
    "how do i add and drop classes",
    "what is the difference between a major and a minor",
    "who do i contact about a hold and a late fee",
    "are there scholarships for transfer students and veterans",
    "my son has allergies, can the dining hall help",
    "i failed calc and want to retake it",
    "where can i eat and study late",
    "which forms must be signed and have existing holds cleared?",
    "which courses are required and are offered online",
    "what happens if i withdraw and owe money",
    "is there a bus between campus and downtown",
    "how many credits do i need to graduate and to keep my aid",
    "is tuition different for online and evening students",
    "hi! when does add/drop end",
)

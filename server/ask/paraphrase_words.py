"""The small words by which two questions are told to ask the same or not (English).

What is in none of these lists counts as a word of its own. A pattern is matched in small letters.
"""

from __future__ import annotations

import re

from server.ask.conversation.phrases import FUNCTION_WORDS, word_set

# What a question wants to know. The words that say so do not count as what it is about.
_ASPECTS = {
    "cost": r"how much(?! (?:time|credit|work|math|notice))|costs?|price[sd]?|pricing|fees?|charge[sd]?",
    "when": r"when|whens|dates?|(?:last|what|which) (?:day|week|month|year)|deadlines?|due|until|till",
    "hours": r"(?<!after )hours?|what time|times|how late|how early",
    "place": r"where|wheres|locations?|located|address|which (?:building|room|floor)",
    "person": r"who|whos|whose|whom",
    "contact": r"phone|telephone|contact|numbers?(?! of)|call",
    "count": r"how many|number of|max|maximum|how often|limits?",
    "span": r"how long|how (?:much time|soon)|period|processing time",
    "reason": r"why",
    "way": r"how (?:do|does|can|could|should|to)|steps|procedure",
    "rule": r"allow(?:ed|s)?|permitted|policy|policies|rules?",
    "duty": r"requir(?:e|es|ed|ing|ement|ements)|mandatory|needed|need to|have to|has to|must|obligatory",
}
ASPECTS = {name: re.compile(rf"\b(?:{words})\b") for name, words in _ASPECTS.items()}
# For these a person says now the one and now the other.
AKIN = tuple(
    map(word_set, ("when hours", "when span", "rule duty", "way rule", "count span", "contact count"))
)

DENIES = re.compile(r"\b(?:no|not|never|none|cannot|without|cant|dont|doesnt|isnt|wont|arent|didnt)\b|n't\b")
NO_DENIAL = re.compile(r"\b(?:or not|not only|no later than|why not|no\. ?\d)\b")


def _sides(lines: str) -> tuple[dict[str, int], ...]:
    """For each line, the side on which each of its words stands; a comma parts two sides."""
    return tuple(
        {word: side for side, words in enumerate(line.split(",")) for word in words.split()}
        for line in lines.replace("\\\n", "").strip().splitlines()
    )


# Words that say of whom or of when a question is asked, and exclude the others of their line.
NARROWING = _sides(
    """
fall autumn, spring, summer, winter
undergraduate, graduate, masters, bachelors, doctoral, associate
first_year, sophomore sophomores, junior juniors, senior seniors, transfer transfers, alumni alum alumnus
faculty, staff employee employees, visitor visitors guest guests, parent parents
in_state, out_of_state
full_time, part_time
on_campus, off_campus
online, in_person
resident residents, commuter commuters
domestic, international
monday mondays mon, tuesday tuesdays tue tues, wednesday wednesdays wed, thursday thursdays thu thurs,\
 friday fridays fri, saturday saturdays sat, sunday sundays sun, weekday weekdays, weekend weekends
january jan, february feb, march, april apr, may, june jun, july jul, august aug, september sep sept,\
 october oct, november nov, december dec
start starts starting begin begins beginning open opens opening reopen,\
 end ends ending close closes closing finish finishes deadline due stop stops
"""
)
# Of the last line: who asks for hours asks when it opens and when it closes.
BOTH_ENDS = frozenset({0, 1})
# Other words that exclude each other.
EXCLUSIVE = _sides(
    """
morning mornings, noon midday, afternoon afternoons, evening evenings, night nights nite midnight
early, regular, rolling, late
first, last latest
move_in, move_out
enroll join add, drop leave withdraw cancel waive remove
highest most maximum max, lowest least minimum min fewest
cheapest, expensive
more over above exceed, fewer less under below
oldest, newest
before, after, during
breakfast, lunch, dinner
single, double, triple, quad
color colored, black
north, south, east, west
lend, return
send, receive
buy, sell
credit, debit
"""
)
# A word that begins so is the opposite of the same word without it: unofficial, nonrefundable.
OPPOSITES = ("un", "in", "im", "ir", "non", "dis", "under", "mis")

# The first of each line is put in the place of the others.
_SAME = r"""
graduation: commencement, (?:i|we|you) graduate, to graduate(?! (?:school|program|stud|degree|admission))
dorm: residence halls?, dorms, dormitor(?:y|ies), student housing, university housing
first_year: first-years?, first years?, 1st years?, freshm[ae]n
undergraduate: undergrads?, undergraduates
graduate: grad(?:uate)? schools?, grad(?:uate)? students?, grads?, graduates
doctoral: ph\.?d\.?s?, doctorates?
masters: master'?s?
bachelors: bachelor'?s?, baccalaureate
enroll: registers?, sign up, enrol, registering, enrolling
registration: enrol?lment
semester: term
class: courses?
parking permit: parking pass
shuttle: shuttle bus, bus, buses
wifi: wi-fi, wireless, internet
ac: air[- ]condition(?:ing|ed|er|ers), a/c
vaccine: immuni[sz]ations?, vaccinations?, vaccines, shots?
counseling: counselling, therapy, therapists?, counsell?ors?
professor: profs?, instructors?, teachers?
repeat: retake, redo
athlete: athletic, athletics, sports?
color: colour
work_study: work[- ]study, campus jobs?, student employment
installment: instal?ments, instalment, monthly payments?
payment plan: installment plan
community college: (?:two|2)[- ]year colleges?
out_of_state: out[- ]of[- ]state, non-?residents?
in_state: in[- ]state
full_time: full[- ]time
part_time: part[- ]time
on_campus: on[- ]campus
off_campus: off[- ]campus
in_person: in[- ]person
move_in: mov(?:e|ing)[- ]in
move_out: mov(?:e|ing)[- ]out
prerequisite: prereqs?, prerequisites
id: id cards?
gym: fitness center, recreation center
cafeteria: dining halls?
international: foreign
email: e-mail
canceled: cancelled
"""


def _same_words() -> tuple[tuple[re.Pattern[str], str], ...]:
    lines = (line.split(": ", 1) for line in _SAME.strip().splitlines())
    return tuple(
        (re.compile(rf"\b(?:{'|'.join(others.split(', '))})(?!\w)"), first) for first, others in lines
    )


SAME = _same_words()

# Words that carry nothing of what is asked.
_LIGHT = word_set(
    "get gets got getting go goes going gone come comes coming want wants know tell find say says said mean"
    " means take takes taking make makes making give gives giving use uses using let try trying think ask"
    " like look looking see happen happens happened keep keeps please info information question wondering put"
    " work works offer offers offered available need needs during thru through ive im u ur"
    " student students day days program programs major majors degree degrees office people somebody someone"
    " university college school campus"
)
LIGHT = (FUNCTION_WORDS | _LIGHT) - word_set("no not before after more less fewer under over most least id")
NUMBERS = dict(
    zip(
        ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
        map(str, range(2, 13)),
        strict=True,
    )
)

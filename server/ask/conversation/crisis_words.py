"""The words in which people in distress are heard, as patterns over plain small letters without accents."""

from __future__ import annotations

import re
from typing import Literal

Level = Literal["emergency", "distress"]
Matter = Literal["self_harm", "assault", "danger", "medical"]
Language = Literal["en", "es"]

_SELF = r"(?:my ?sel(?:f|ve?s)|him ?self|her ?self|them ?sel(?:f|ves)|our ?selves)"
_SOMEBODY = (
    r"(?:i|we|she|he|they|someone|somebody|anyone|a (?:man|guy|woman|girl|student|stranger|person)"
    r"|people|my \w+(?: \w+)?"
    r"|our \w+|the (?:man|guy|person|student))"
)
_ME = (
    r"(?:me|us|her|him|them|my (?:friend|roommate|sister|brother|girlfriend|boyfriend|daughter|son|mom"
    r"|mother|dad|father))"
)
_WANTS = (
    r"(?:wan(?:t|ts|ted|na|ting)(?: to)?|wish(?:es|ed)?(?: to)?|going to|gonna|plan(?:s|ning)? (?:to|on)"
    r"|ready to|try(?:ing)? to"
    r"|tried to|think(?:ing)?(?: about| of)?|thoughts? (?:of|about)|might|about to|talk(?:s|ing"
    r"|ed)? (?:about|of)|threatens? to"
    r"|threatening to|feel like|scared i(?:'ll| will)|urges? to|keep|keeps|been|started)"
)

# (level, matter, language, pattern); the first that is heard is taken.
STRONG: tuple[tuple[Level, Matter, Language, str], ...] = (
    # danger now
    (
        "emergency",
        "danger",
        "en",
        r"active (?:shooter|shooting)|shots? (?:were |was |being )?fired|gun ?shots?|mass shooting",
    ),
    (
        "emergency",
        "danger",
        "en",
        r"(?:there(?:'s| is|s)|i see|i saw|we have) (?:an? )?(?:shooter|gunman|intruder"
        r"|man with a (?:gun|knife)|guy with a (?:gun|knife))",
    ),
    (
        "emergency",
        "danger",
        "en",
        r"(?:with|has|have|holding|pulled|carrying|waving|pointed) (?:a |an |his |her )?(?:gun|knife"
        r"|weapon|rifle|pistol|machete|bomb)\b(?! storage| safety| policy| permit| club)",
    ),
    (
        "emergency",
        "danger",
        "en",
        r"bomb threat|(?:there(?:'s| is|s)|found|planted|heard) (?:a |an )?(?:bomb|explosion|explosive)",
    ),
    (
        "emergency",
        "danger",
        "en",
        r"(?:there(?:'s| is|s)|i see|we have) (?:a |an )?(?:(?:big|small|huge|kitchen"
        r"|electrical) )?fire\b(?! drill| lane| safety| extinguisher| escape| exit| code| science| place"
        r"| pit| fine)",
    ),
    (
        "emergency",
        "danger",
        "en",
        r"(?:room|dorm|hall|house|building|kitchen|floor|car|lab|apartment|stove|roof|library) (?:is "
        r"|are |was |'s |caught )?(?:on fire|burning|in flames)|caught fire",
    ),
    (
        "emergency",
        "danger",
        "en",
        r"smell(?:s|ing|ed)? (?:of |like )?(?:gas|smoke|something burning)|gas leak"
        r"|carbon monoxide (?:alarm|leak|detector (?:is )?(?:going|beep))|smoke (?:is )?(?:coming"
        r"|filling|everywhere)|(?:there(?:'s| is|s)) (?:a lot of )?smoke",
    ),
    (
        "emergency",
        "danger",
        "en",
        r"(?:break(?:s|ing)|broke) (?:in|into) (?:my|our|to my|the) (?:room|dorm|house|apartment|car"
        r"|place)|(?:i'?m|i am|we'?re|we are|she is|he is|being) (?:trapped|held hostage)",
    ),
    (
        "emergency",
        "danger",
        "en",
        r"(?:been|got|was|were|is|am) (?:stabbed|shot|attacked right now)|(?:attack|chas|follow|hurt"
        r"|beat|threaten|hit|chok)ing (?:me|us)(?: right)? now",
    ),
    (
        "emergency",
        "danger",
        "en",
        r"(?:i'?m|i am|we'?re|we are|she'?s|he'?s|she is|he is|someone is|someone'?s) in (?:immediate "
        r"|serious |grave |real )?danger\b(?! of (?:fail|los|miss|drop))",
    ),
    (
        "emergency",
        "danger",
        "en",
        r"(?:this|it) ?(?:is|'s) an? (?:real )?emergency|(?:call|calling|dial|phone) 911|(?:need|send"
        r"|get|call) (?:an? |the |some )?(?:ambulance|police|paramedics?|cops|fire ?fighters"
        r"|fire department)(?: now| right now| here| please| fast)|need an ambulance"
        r"|^\W*(?:help+\W*)*(?:emergency|sos|911)\W*$",
    ),
    # medical
    (
        "emergency",
        "medical",
        "en",
        r"(?:not|isn'?t|isnt|stopped|won'?t|no longer|barely) breath(?:ing|e)?|(?:can'?t|cannot|can not"
        r"|cant) breath?e?\b",
    ),
    (
        "emergency",
        "medical",
        "en",
        r"unconsc?ious|unresponsive|not respond(?:ing|s)?|isn'?t respond(?:ing)?|won'?t (?:wake|respond)"
        r"|wont wake|passed out|collapsed|fainted and",
    ),
    (
        "emergency",
        "medical",
        "en",
        r"(?:have|having|has|had|think it'?s|suffering|suffered) (?:a |an )?(?:heart attack"
        r"|stroke\b(?! research)|seizure|severe allergic|allergic reaction|anaphyla\w+|miscarriage)"
        r"|severe (?:allergic reaction|bleeding|burns?|pain)|anaphyla(?:xis|ctic)",
    ),
    (
        "emergency",
        "medical",
        "en",
        r"bleeding (?:badly|a lot|out|heavily|everywhere|won'?t)|(?:won'?t|can'?t"
        r"|doesn'?t) stop (?:the )?bleeding|chest pains?|chok(?:ing|ed) on|is choking|alcohol poison\w*"
        r"|drank too much and|too drunk to",
    ),
    (
        "emergency",
        "medical",
        "en",
        rf"{_SOMEBODY} (?:has |have |just |may have |might have |probably |think i |'ve )*(?:overdos(?:e"
        rf"|ed|ing)|over dosed|od(?:'?d|ed))\b(?!\.\.\.)|overdosed|(?:is|was|am|'m) overdosing|(?:drug"
        rf"|pill|opioid|heroin|fentanyl|medication) overdose\b(?! (?:prevention|training|awareness"
        rf"|course|class))",
    ),
    (
        "emergency",
        "medical",
        "en",
        r"(?:took|taken|swallow(?:ed)?|ate) (?:\w+ ){0,3}(?:bottle of|too many|a lot of|handful of"
        r"|all (?:of )?(?:my|the|his|her)|whole) ?(?:\w+ ){0,2}(?:pills?|tylenol|meds|medication|tablets"
        r"|aspirin|sleeping|bottle)|(?:took|taken|swallowed) (?:a )?whole bottle|swallowed (?:bleach"
        r"|poison|detergent)|drank (?:bleach|poison|antifreeze)",
    ),
    # self-harm
    (
        "emergency",
        "self_harm",
        "en",
        rf"(?:kill+|kil|hang|shoot|starv|drown|unaliv|murder|off|end)(?:e|s|ed|ing|ling)? {_SELF}\b",
    ),
    (
        "emergency",
        "self_harm",
        "en",
        rf"{_WANTS} (?:to )?(?:die|dying|be dead|dead|end it(?: all)?|ending it(?: all)?|(?:end|ending"
        rf"|take|taking) (?:my|her|his|their|(?:my|her|his|their) own) life|commit(?:ting)? su\w+"
        rf"|jump(?:ing)? (?:off|from|in front)|not (?:be alive|exist|wake up)"
        rf"|hang(?:ing)?(?: my ?self)?$|kill(?:ing)? (?:him|her|them|my)\w*|s[uo]+[ie]?[cs]+[iya]+[dt]e?)\b",
    ),
    (
        "emergency",
        "self_harm",
        "en",
        r"\bkms\b|\bktms\b|unalive|(?:end|ending|ended|take|taking) (?:my|his|her"
        r"|their) (?:own )?life\b(?! (?:science|insurance|skills|cycle))|slit(?:ting)? my wrists?"
        r"|su[ie]?c[ia]+d[ea]? (?:note|attempt|letter|plan|pact)|attempt(?:ed|ing)? su\w*c\w*d\w*"
        r"|wish (?:that )?i (?:was|were|had been)(?:n'?t)? (?:dead|never born|born|alive)",
    ),
    (
        "distress",
        "self_harm",
        "en",
        rf"(?:cut(?:t?ing|s)?|hurt(?:ing|s)?|harm(?:ing|s|ed)?|burn(?:ing|s|ed)?) {_SELF}\b"
        rf"|self[- ]?harm\w*\b(?! (?:research|course|class|training|study))|self[- ]?injur\w+",
    ),
    ("distress", "self_harm", "en", r"su[ie]?[iy]?[cs]+[iya]*dal|sucidal|suidical"),
    (
        "distress",
        "self_harm",
        "en",
        r"(?:do ?n[o']?t|dont|no longer|not) (?:really )?(?:want|wanna|wish)(?: to)? (?:live|be alive"
        r"|be here any ?more|exist|wake up|go on)\b|(?:no|not any|what'?s the|what is the) (?:reason"
        r"|point) (?:to|in|of|for) (?:liv(?:e|ing)|being alive|life|going on|anything any ?more)"
        r"|better off (?:dead|without me|if i)",
    ),
    (
        "distress",
        "self_harm",
        "en",
        r"(?:can'?t|cannot|cant|can not) (?:go on|keep going|keep on|take (?:it|this|life)|do (?:it|this"
        r"|life)|cope|live like this|live)(?: with (?:this|it|life))? ?(?:any ?more|any longer)|(?:see"
        r"|there is|there'?s) no (?:way out|hope|point any ?more|future)|(?:don'?t|do not|dont) see (?:a"
        r"|any) way out|want (?:it|everything|this|the pain) (?:all )?to (?:end|stop|be over)"
        r"|disappear forever|give up on life|nothing to live for|life is(?:n'?t| not) worth|hate my life"
        r"|i'?m (?:so )?(?:desperate|hopeless)|feel(?:ing)? (?:so |completely |really "
        r"|totally )?(?:hopeless|desperate|worthless)",
    ),
    # assault, abuse, stalking
    (
        "distress",
        "assault",
        "en",
        r"\brap(?:ed|ing|ist)\b|was rape\b|sexual(?:ly)? (?:assault\w*|abus\w*|harass\w*|violat\w*"
        r"|attack\w*|misconduct)|molest\w*|grop(?:ed|ing)|date[- ]rap\w*|roofie\w*|revenge porn"
        r"|(?:expos(?:ed|ing)|flash(?:ed|ing)) (?:him ?self|herself|themselves|his|to me|me)\b",
    ),
    (
        "distress",
        "assault",
        "en",
        r"(?:been|being|was|were|got|getting|am|'m|is|i) (?:\w+ )?(?:as+[ua]?[ul]+t+ed|assualted"
        r"|attacked|beaten(?: up)?|mugged|robbed|jumped|strangled|choked|kidnapped|stalked|harass?ed"
        r"|blackmailed|abused|drugged|threatened|physically abused|bullied|followed home)\b",
    ),
    (
        "distress",
        "assault",
        "en",
        rf"(?:stalk(?:s|ing|ed)?|attack(?:s|ing|ed)?|assault(?:s|ing|ed)?|threaten(?:s|ing|ed)?"
        rf"|abus(?:es|ing|ed)|harass(?:es|ing|ed)?|rap(?:es|ed)|chok(?:es|ing|ed)|beat(?:s|ing)?(?: up)?"
        rf"|hit(?:s|ting)?|hurt(?:s|ing)?|punch(?:es|ed|ing)?|slap(?:s|ped|ping)?|kick(?:s|ed|ing)"
        rf"|strangl(?:es|ed|ing)|follow(?:s|ing|ed)|drug(?:s|ged|ging)|touch(?:es|ed|ing)|blackmail(?:s"
        rf"|ed|ing)?|grabb?(?:ed|ing)) {_ME}\b(?! (?:up|out|off|on (?:instagram|twitter|social|x)"
        rf"|with (?:fees|a fee|a bill)))",
    ),
    (
        "distress",
        "assault",
        "en",
        r"(?:threaten(?:s|ed|ing)?|going|wants?|tried|trying) to (?:kill|hurt|rape|shoot|stab|hit"
        r"|beat) (?:me|us|her|him|them|my|someone|somebody|people)\b|(?:keeps?|won'?t stop) (?:stalking"
        r"|following|harassing|threatening|touching|hitting)|my stalker|a stalker|domestic violence"
        r"|abusive (?:relationship|partner|boyfriend|girlfriend|husband|wife|ex|home|father|mother"
        r"|parents?)|drink (?:was |got |has been |had been )?(?:spiked|drugged)|spiked my drink"
        r"|(?:afraid|scared|terrified) of my (?:boyfriend|girlfriend|partner|husband|wife|ex|dad|father"
        r"|mom|mother|parents|roommate|professor)|afraid for my (?:life|safety)|(?:don'?t|do not"
        r"|not) feel safe|unsafe at home",
    ),
    # Spanish
    (
        "emergency",
        "danger",
        "es",
        r"hay un (?:incendio|tirador|fuego|hombre (?:armado|con un? \w+)|tiroteo)|tiroteo"
        r"|se (?:esta )?(?:incendia|quema)(?:ndo)? (?:mi|el|la)|huele a (?:gas|humo|quemado)"
        r"|amenaza de bomba|(?:es una |tengo una )emergencia|^\W*(?:ayuda\W+)?(?:emergencia|auxilio"
        r"|socorro)\W*$|(?:estoy|estamos|esta) en peligro|(?:necesito|llamen?|manden?) (?:a )?(?:una "
        r"|la |los )?(?:ambulancia|policia|bomberos)|(?:tiene|lleva) un (?:arma|cuchillo|pistola)",
    ),
    (
        "emergency",
        "medical",
        "es",
        r"no (?:respira|responde|reacciona|despierta|puedo respirar)|inconsciente|sobredosis|(?:ataque"
        r"|infarto) (?:al corazon|cardiaco)|infarto|convulsiones|convulsionando|(?:sangra"
        r"|sangrando) mucho|se desmayo|(?:tome|tomo|trague|trago) (?:muchas|demasiadas|un frasco|todas)",
    ),
    (
        "emergency",
        "self_harm",
        "es",
        r"quier[oe] mori(?:r|rme|rse)|(?:quier[oe]|voy a|va a|pienso|pensando en"
        r"|intent\w+) (?:matar(?:me|se)|suicidar(?:me|se)|quitar(?:me|se) la vida|morir(?:me|se)?)"
        r"|me quiero (?:morir|matar|suicidar)|se quiere (?:morir|matar|suicidar)|quitar(?:me|se) la vida"
        r"|matarme|suicidarme",
    ),
    (
        "distress",
        "self_harm",
        "es",
        r"no quiero (?:seguir )?vi(?:vir|viendo)|(?:hacer|lastimar|cortar|haci\w+)(?:me|se)? (?:dano"
        r"|a mi mism[oa])|lastimarme|cortarme|me (?:corto|hago dano|lastimo)|(?:ya )?no puedo mas"
        r"|no aguanto mas|ganas de vivir|suicid(?:io|arme|arse|ar|a|o)\b",
    ),
    (
        "distress",
        "assault",
        "es",
        r"(?:me|la|lo|fui|fue|han|a mi \w+) (?:han |la |lo )?(?:viol(?:aron|o|ada|ado)|agred(?:ieron|io"
        r"|ida|ido)|atac(?:aron|o|ada|ado)|acos(?:aron|o|ada|ado|an|a)|golpe(?:aron|o|a|an)"
        r"|amenaz(?:aron|o|a|an)|abus(?:aron|o)|asalt(?:aron|o)|robaron|drogaron|toco|tocaron|pega(?:ron"
        r"|n)?|sigue(?:n)?|persigue(?:n)?)\b|me estan? (?:acosando|siguiendo|amenazando|golpeando)"
        r"|violacion|agresion sexual|acoso sexual|violencia (?:domestica|de genero)|maltrat\w+",
    ),
)
# Said of a matter as often as in it; not heard beside what makes it a subject, a drill or a form of words.
WEAK: tuple[tuple[Level, Matter, Language, str], ...] = (
    (
        "distress",
        "self_harm",
        "en",
        r"s[uo]+[iy]?[iea]?[cs]+[iya]+d+e?s?\b|suicide|sucide|suicid\b|kill+ing my ?self|overdose"
        r"|depress(?:ed|ion)\b.*\b(?:help|alone|anymore|hopeless)|crisis (?:line|hotline|counsel\w+"
        r"|center)|panic attacks?|mental (?:health )?(?:crisis|breakdown)",
    ),
    (
        "distress",
        "assault",
        "en",
        r"\brape\b|assault(?:ed|s)?|assulted|stalk(?:er|ers|ing|ed)|physical abuse|abuse\b|abused"
        r"|title ix complaint|harass(?:ment|ed|ing)",
    ),
)
SUBJECT = re.compile(
    r"\b(?:courses?|class(?:es)?|credits?|seminar|major|minor|degree|training|research|study|studies"
    r"|paper|essay|thesis"
    r"|book|novel|movie|film|play|squad|history|statistics|stats|data|rates?|law|laws|polic(?:y|ies)"
    r"|bill|act\b|theory"
    r"|prevention|awareness|drill|schedule|certificat\w+|internship|lecture|professor|journal|article"
    r"|chapter|exam"
    r"|curriculum|week|month|club|conference|workshop|who (?:wrote|teaches|directed|invented)|what (?:is"
    r"|does|year|country)"
    r"|define|definition|how (?:many|often|much)|charged|convicted|squad|song|album|band|game|drug war"
    r"|assault rifle)\b",
    re.IGNORECASE,
)
# "Just kidding", "my deadline is killing me": said of everyday things.
NOT_MEANT = re.compile(
    r"\b(?:process(?:es)?|threads?|tasks?|jobs?|server|daemon|linux|script|lights?|engine|time|two birds"
    r"|the mood|it at)\b"
    r"|\b(?:homework|deadline|exam|assignment|class|course|workload|bus|wait(?:ing)?|heat|weather"
    r"|commute|shoes|feet|back"
    r"|allerg\w+|price|tuition) (?:is|are) killing (?:me|us)|\bdying to\b|to die for|just kidding|\bjk\b"
    r"|drop[- ]dead",
    re.IGNORECASE,
)

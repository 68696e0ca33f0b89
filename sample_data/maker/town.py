"""Vocabulary of four kinds of document about life in a town.

Words after ``~`` are those that a careless dictionary would offer for the German word (``Handschrift`` is a manuscript
here, elsewhere a handwriting). Nouns of the weak German declension are left out, so that case endings stay regular.
"""

from maker.lexicon import domain, frame

COUNCIL = domain(
    "council",
    "town council = m Stadtrat Stadträte ~ city council, municipal board; mayor = f Bürgermeisterin Bürgermeisterinnen"
    " ~ burgomaster, governor; committee = m Ausschuss Ausschüsse ~ panel, commission; authority = f Behörde Behörden"
    " ~ agency, office; architect = f Architektin Architektinnen ~ designer, planner; resident = m Anwohner Anwohner"
    " ~ neighbour, inhabitant",
    "local = örtlich ~ regional, topical; new = neu ~ fresh, recent; responsible = zuständig ~ competent, liable",
    "in the town hall = im Rathaus ~ in the council house, at the city hall; in the old town = in der Altstadt"
    " ~ in the historic centre, at the old city; at the public meeting = bei der öffentlichen Sitzung"
    " ~ by the open session, in the public sitting; on the market square = auf dem Marktplatz"
    " ~ at the market place, on the marketplace",
    frame(
        "approve = genehmigen genehmigte genehmigt ~ authorise, allow",
        "plan = m Plan Pläne ~ scheme, map; budget = m Haushalt Haushalte ~ household, balance;"
        " building project = n Bauprojekt Bauprojekte ~ construction project, building plan",
        "new = neu ~ fresh, recent; revised = überarbeitet ~ reworked, overworked; ambitious = ehrgeizig ~ eager, keen",
    ),
    frame(
        "renovate = renovieren renovierte renoviert ~ restore, refurbish",
        "school = f Schule Schulen ~ college; swimming pool = n Schwimmbad Schwimmbäder ~ swimming bath, pool;"
        " bridge = f Brücke Brücken ~ viaduct, crossing",
        "old = alt ~ ancient, former; historic = historisch ~ historical; small = klein ~ little, short",
    ),
    frame(
        "close = schließen schloss geschlossen ~ conclude, lock",
        "street = f Straße Straßen ~ road; car park = m Parkplatz Parkplätze ~ parking lot, parking place;"
        " library = f Bücherei Büchereien ~ bookshop, book collection",
        "narrow = eng ~ tight, close; central = zentral ~ middle; quiet = ruhig ~ calm, silent",
    ),
    frame(
        "discuss = besprechen besprach besprochen ~ debate, mention",
        "question = f Frage Fragen ~ issue, demand; proposal = m Vorschlag Vorschläge ~ suggestion, offer;"
        " report = m Bericht Berichte ~ account, message",
        "important = wichtig ~ weighty, significant; difficult = schwierig ~ hard, heavy; final = endgültig ~"
        " definitive",
    ),
    frame(
        "reject = ab|lehnen ab|lehnte ab|gelehnt ~ refuse, decline",
        "application = m Antrag Anträge ~ motion, request; complaint = f Beschwerde Beschwerden ~ trouble, grievance;"
        " offer = n Angebot Angebote ~ bid, supply",
        "new = neu ~ fresh, recent; official = offiziell ~ formal; second = zweit ~ other, next",
    ),
)

RAILWAY = domain(
    "railway",
    "railway company = f Bahngesellschaft Bahngesellschaften ~ train company, rail society; transport minister ="
    " f Verkehrsministerin Verkehrsministerinnen ~ traffic minister; train driver = m Lokführer Lokführer ~ engine"
    " driver, machinist; union = f Gewerkschaft Gewerkschaften ~ trade union, syndicate; engineer = m Ingenieur"
    " Ingenieure ~ technician; commuter = m Pendler Pendler ~ traveller, pendulum",
    "critical = kritisch ~ vital, severe; regional = regional ~ local; worried = besorgt ~ anxious, concerned",
    "at the main station = am Hauptbahnhof ~ in the central station, on the main railway station; on platform four ="
    " auf Gleis vier ~ at track four, on rail four; on the northern line = auf der Nordstrecke ~ on the north route;"
    " near the border = in der Nähe der Grenze ~ close to the limit, in the vicinity of the border",
    frame(
        "repair = reparieren reparierte repariert ~ fix, mend",
        "track = n Gleis Gleise ~ rail, platform; signal = n Signal Signale ~ sign; locomotive = f Lokomotive"
        " Lokomotiven ~ engine",
        "damaged = beschädigt ~ broken, harmed; old = alt ~ ancient, former; electric = elektrisch ~ electrical",
    ),
    frame(
        "cancel/cancelled/cancelled = streichen strich gestrichen ~ delete, paint",
        "train = m Zug Züge ~ procession, draught; connection = f Verbindung Verbindungen ~ link, compound;"
        " journey = f Fahrt Fahrten ~ trip, ride",
        "early = früh ~ premature, soon; direct = direkt ~ straight; late = spät ~ tardy, delayed",
    ),
    frame(
        "extend = verlängern verlängerte verlängert ~ prolong, lengthen",
        "route = f Strecke Strecken ~ line, distance; platform = m Bahnsteig Bahnsteige ~ track, deck;"
        " contract = m Vertrag Verträge ~ treaty, agreement",
        "long = lang ~ tall, lengthy; short = kurz ~ brief; important = wichtig ~ weighty, significant",
    ),
    frame(
        "test = testen testete getestet ~ try, check",
        "brake = f Bremse Bremsen ~ horsefly; system = n System Systeme ~ scheme; carriage = m Wagen Wagen ~"
        " car, wagon",
        "modern = modern ~ rotting, recent; quiet = leise ~ silent, low; automatic = automatisch ~ mechanical",
    ),
    frame(
        "demand = fordern forderte gefordert ~ require, claim",
        "pay rise = f Lohnerhöhung Lohnerhöhungen ~ wage increase, salary raise; discount = m Rabatt Rabatte ~ rebate;"
        " investigation = f Untersuchung Untersuchungen ~ inquiry, examination",
        "immediate = sofortig ~ instant, prompt; generous = großzügig ~ large; independent = unabhängig ~ autonomous",
    ),
)

MUSEUM = domain(
    "museum",
    "director = f Direktorin Direktorinnen ~ manager, headmistress; museum = n Museum Museen ~ gallery; curator ="
    " m Kurator Kuratoren ~ keeper, trustee; foundation = f Stiftung Stiftungen ~ endowment, trust; painter ="
    " f Malerin Malerinnen ~ artist; collector = m Sammler Sammler ~ gatherer, accumulator",
    "young = jung ~ youthful, recent; wealthy = wohlhabend ~ rich, prosperous; famous = berühmt ~ well-known, noted",
    "in the old castle = im alten Schloss ~ in the old lock, at the ancient palace; in the east wing = im Ostflügel"
    " ~ in the eastern wing, on the east piano; on the ground floor = im Erdgeschoss ~ in the first floor, at the earth"
    " floor; in the great hall = im großen Saal ~ in the large room, at the big hall",
    frame(
        "show/showed/shown = zeigen zeigte gezeigt ~ display, point",
        "painting = n Gemälde Gemälde ~ picture, canvas; sculpture = f Skulptur Skulpturen ~ statue; drawing ="
        " f Zeichnung Zeichnungen ~ sketch, design",
        "famous = berühmt ~ well-known, noted; valuable = wertvoll ~ precious, worthy; unknown = unbekannt ~"
        " unfamiliar",
    ),
    frame(
        "buy/bought/bought = kaufen kaufte gekauft ~ purchase, acquire",
        "photograph = f Fotografie Fotografien ~ photo, photography; manuscript = f Handschrift Handschriften"
        " ~ handwriting, script; collection = f Sammlung Sammlungen ~ gathering, assembly",
        "rare = selten ~ seldom, scarce; private = privat ~ personal; old = alt ~ ancient, former",
    ),
    frame(
        "restore = restaurieren restaurierte restauriert ~ repair, renovate",
        "altar = m Altar Altäre ~ shrine; portrait = n Porträt Porträts ~ likeness, profile; vase = f Vase Vasen ~ jar",
        "medieval = mittelalterlich ~ middle-aged, ancient; precious = kostbar ~ costly, valuable; small = klein"
        " ~ little",
    ),
    frame(
        "open = eröffnen eröffnete eröffnet ~ inaugurate, start",
        "exhibition = f Ausstellung Ausstellungen ~ fair, issue; gallery = f Galerie Galerien ~ balcony; café ="
        " n Café Cafés ~ coffee house, coffee",
        "new = neu ~ fresh, recent; bright = hell ~ light, clear; modern = modern ~ rotting, contemporary",
    ),
    frame(
        "lend/lent/lent = verleihen verlieh verliehen ~ award, loan",
        "watercolour = n Aquarell Aquarelle ~ aquarelle; tapestry = m Wandteppich Wandteppiche ~ wall carpet;"
        " treasure = m Schatz Schätze ~ darling, fortune",
        "large = groß ~ big, tall; colourful = farbenfroh ~ cheerful, bright; fragile = zerbrechlich ~ brittle, weak",
    ),
)

FOOTBALL = domain(
    "football",
    "coach = m Trainer Trainer ~ trainer, instructor; team = f Mannschaft Mannschaften ~ crew, squad; goalkeeper ="
    " m Torwart Torwarte ~ gatekeeper, keeper; captain = m Kapitän Kapitäne ~ skipper; club = m Verein Vereine"
    " ~ association, society; striker = f Stürmerin Stürmerinnen ~ forward, attacker",
    "young = jung ~ youthful, recent; experienced = erfahren ~ skilled, practised; proud = stolz ~ arrogant",
    "in the stadium = im Stadion ~ at the stage, in the arena; on the training ground = auf dem Trainingsplatz"
    " ~ at the practice place, on the training square; in the clubhouse = im Vereinsheim ~ in the association home;"
    " at the press conference = auf der Pressekonferenz ~ on the press conference, in the news meeting",
    frame(
        "win/won/won = gewinnen gewann gewonnen ~ gain, obtain",
        "match = n Spiel Spiele ~ game, play; cup = m Pokal Pokale ~ goblet, trophy; championship = f Meisterschaft"
        " Meisterschaften ~ mastery, league",
        "important = wichtig ~ weighty, significant; decisive = entscheidend ~ deciding, crucial; third = dritt"
        " ~ three",
    ),
    frame(
        "miss = verpassen verpasste verpasst ~ skip, fail",
        "chance = f Chance Chancen ~ opportunity, hope; training session = f Trainingseinheit Trainingseinheiten"
        " ~ practice unit; bus/buses = m Bus Busse ~ coach",
        "good = gut ~ well, fine; early = früh ~ premature, soon; last = letzt ~ latest, recent",
    ),
    frame(
        "sign = verpflichten verpflichtete verpflichtet ~ oblige, commit",
        "player = m Spieler Spieler ~ gambler, actor; defender = m Verteidiger Verteidiger ~ lawyer, advocate;"
        " assistant = f Assistentin Assistentinnen ~ helper, aide",
        "young = jung ~ youthful, recent; talented = talentiert ~ gifted; reliable = zuverlässig ~ trusty, dependable",
    ),
    frame(
        "criticise = kritisieren kritisierte kritisiert ~ attack, blame",
        "decision = f Entscheidung Entscheidungen ~ choice, ruling; performance = f Leistung Leistungen"
        " ~ achievement, power; penalty = m Elfmeter Elfmeter ~ spot kick, eleven",
        "weak = schwach ~ faint, poor; surprising = überraschend ~ sudden, startling; wrong = falsch ~ false, fake",
    ),
    frame(
        "prepare = vor|bereiten vor|bereitete vor|bereitet ~ arrange, train",
        "attack = m Angriff Angriffe ~ assault, strike; celebration = f Feier Feiern ~ party, ceremony; tournament ="
        " n Turnier Turniere ~ contest",
        "big = groß ~ tall, large; quick = schnell ~ fast, soon; international = international ~ foreign",
    ),
)

TOWN = (COUNCIL, RAILWAY, MUSEUM, FOOTBALL)

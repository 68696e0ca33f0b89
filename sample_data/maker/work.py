"""Vocabulary of four kinds of document about people at work; the notation and its rules are those of ``town.py``."""

from maker.lexicon import domain, frame

HEALTH = domain(
    "health",
    "doctor = f Ärztin Ärztinnen ~ physician, medic; hospital = n Krankenhaus Krankenhäuser ~ clinic, sick"
    " house; nurse ="
    " m Pfleger Pfleger ~ carer, orderly; health office = n Gesundheitsamt Gesundheitsämter ~ health department;"
    " research"
    " group = f Forschungsgruppe Forschungsgruppen ~ study group; pharmacist = f Apothekerin Apothekerinnen ~ chemist",
    "new = neu ~ fresh, recent; experienced = erfahren ~ skilled, practised; local = örtlich ~ regional, topical",
    "in the intensive care unit = auf der Intensivstation ~ on the intensive station; in the emergency department ="
    " in der Notaufnahme ~ in the emergency recording, at the casualty ward; at the university hospital ="
    " am Universitätsklinikum ~ on the university clinic; on the third floor = im dritten Stock ~ in the third stick",
    frame(
        "treat = behandeln behandelte behandelt ~ handle, deal",
        "injury = f Verletzung Verletzungen ~ violation, wound; illness = f Krankheit Krankheiten ~ disease, sickness;"
        " infection = f Infektion Infektionen ~ contagion",
        "serious = schwer ~ heavy, difficult; rare = selten ~ seldom, scarce; old = alt ~ ancient, former",
    ),
    frame(
        "examine = untersuchen untersuchte untersucht ~ investigate, study",
        "knee = n Knie Knie ~ bend; eye = n Auge Augen ~ sight; shoulder = f Schulter Schultern ~ arm",
        "left = link ~ sinister, leftist; inflamed = entzündet ~ lit, ignited; swollen = geschwollen ~ pompous, thick",
    ),
    frame(
        "develop = entwickeln entwickelte entwickelt ~ evolve, unfold",
        "drug = n Medikament Medikamente ~ medicine, medication; vaccine = m Impfstoff Impfstoffe ~ inoculation;"
        " method ="
        " f Methode Methoden ~ procedure, manner",
        "effective = wirksam ~ efficient, active; cheap = billig ~ inexpensive, low; new = neu ~ fresh, recent",
    ),
    frame(
        "recommend = empfehlen empfahl empfohlen ~ advise, commend",
        "diet = f Diät Diäten ~ allowance, regime; walk = m Spaziergang Spaziergänge ~ stroll; therapy = f Therapie"
        " Therapien ~ cure, treatment",
        "daily = täglich ~ everyday; gentle = sanft ~ soft, mild; healthy = gesund ~ sound, wholesome",
    ),
    frame(
        "order = bestellen bestellte bestellt ~ book, reserve",
        "device = n Gerät Geräte ~ apparatus, tool; bed = n Bett Betten ~ couch; ambulance = m Krankenwagen"
        " Krankenwagen"
        " ~ hospital car",
        "additional = zusätzlich ~ extra, further; modern = modern ~ rotting, recent; second = zweit ~ other, next",
    ),
)

FARM = domain(
    "farm",
    "farmer = f Bäuerin Bäuerinnen ~ peasant, countrywoman; gardener = m Gärtner Gärtner ~ nurseryman; cooperative ="
    " f Genossenschaft Genossenschaften ~ association, company; forester = m Förster Förster ~ ranger; beekeeper ="
    " m Imker Imker ~ apiarist; winegrower = f Winzerin Winzerinnen ~ vintner, vine maker",
    "young = jung ~ youthful, recent; local = örtlich ~ regional, topical; proud = stolz ~ arrogant",
    "at the weekly market = auf dem Wochenmarkt ~ on the week market; behind the barn = hinter der Scheune ~ after the"
    " shed, behind the shed; in the valley = im Tal ~ at the dale; on the southern slope = am Südhang ~ at the"
    " south hill",
    frame(
        "harvest = ernten erntete geerntet ~ reap, collect",
        "+apple = m Apfel Äpfel ~ fruit; +potato/potatoes = f Kartoffel Kartoffeln ~ spud; +cherry = f Kirsche Kirschen"
        " ~ berry",
        "ripe = reif ~ mature, ready; sweet = süß ~ cute, sugary; red = rot ~ ginger",
    ),
    frame(
        "sell/sold/sold = verkaufen verkaufte verkauft ~ vend, market",
        "cheese = m Käse - ~ curd; honey = m Honig - ~ syrup; bread = n Brot - ~ loaf; wine = m Wein - ~ grape",
        "fresh = frisch ~ cool, new; organic = biologisch ~ biological, natural; regional = regional ~ local",
    ),
    frame(
        "plant = pflanzen pflanzte gepflanzt ~ sow, place",
        "tree = m Baum Bäume ~ beam, mast; rose = f Rose Rosen ~ flower; hedge = f Hecke Hecken ~ bush, rear",
        "young = jung ~ youthful, recent; tall = groß ~ big, large; white = weiß ~ pale",
    ),
    frame(
        "feed/fed/fed = füttern fütterte gefüttert ~ nourish, line",
        "cow = f Kuh Kühe ~ cattle; sheep/sheep = n Schaf Schafe ~ ram, lamb; goose/geese = f Gans Gänse ~ duck",
        "hungry = hungrig ~ starving, eager; black = schwarz ~ dark, illegal; small = klein ~ little, short",
    ),
    frame(
        "protect = schützen schützte geschützt ~ shield, guard",
        "forest = m Wald Wälder ~ wood, grove; meadow = f Wiese Wiesen ~ lawn, field; river bank = n Ufer Ufer ~ shore,"
        " coast",
        "wet = nass ~ moist, damp; green = grün ~ unripe; quiet = ruhig ~ calm, silent",
    ),
)

UNIVERSITY = domain(
    "university",
    "professor = f Professorin Professorinnen ~ teacher, lecturer; institute = n Institut Institute ~ institution;"
    " researcher = m Forscher Forscher ~ explorer, scientist; faculty = f Fakultät Fakultäten ~ department; student ="
    " f Studentin Studentinnen ~ pupil; working group = f Arbeitsgruppe Arbeitsgruppen ~ team, labour group",
    "young = jung ~ youthful, recent; international = international ~ foreign; curious = neugierig ~ nosy, odd",
    "at the conference = auf der Konferenz ~ on the meeting, in the conference; in the main lecture hall ="
    " im großen Hörsaal ~ in the big auditorium; in the basement = im Keller ~ in the cellar, at the cellar; in the"
    " laboratory = im Labor ~ at the lab, in the lab",
    frame(
        "publish = veröffentlichen veröffentlichte veröffentlicht ~ release, issue",
        "study = f Studie Studien ~ survey, sketch; article = m Artikel Artikel ~ item, paper; book = n Buch Bücher"
        " ~ volume",
        "detailed = ausführlich ~ extensive, thorough; controversial = umstritten ~ disputed; short = kurz ~ brief",
    ),
    frame(
        "measure = messen maß gemessen ~ gauge, compete",
        "temperature = f Temperatur Temperaturen ~ fever, heat; speed = f Geschwindigkeit Geschwindigkeiten ~ velocity,"
        " pace; wave = f Welle Wellen ~ shaft, surge",
        "exact = genau ~ precise, accurate; average = durchschnittlich ~ mean, ordinary; low = niedrig ~ small, mean",
    ),
    frame(
        "discover = entdecken entdeckte entdeckt ~ detect, explore",
        "star = m Stern Sterne ~ asterisk; insect = n Insekt Insekten ~ bug; mistake = m Fehler Fehler ~ error, fault",
        "tiny = winzig ~ minute, small; unknown = unbekannt ~ unfamiliar; strange = seltsam ~ odd, peculiar",
    ),
    frame(
        "build/built/built = bauen baute gebaut ~ construct, grow",
        "robot = m Roboter Roboter ~ automaton; telescope = n Teleskop Teleskope ~ spyglass; laboratory = n"
        " Labor Labore"
        " ~ lab",
        "powerful = leistungsfähig ~ efficient, capable; small = klein ~ little, short; new = neu ~ fresh, recent",
    ),
    frame(
        "present = vor|stellen vor|stellte vor|gestellt ~ introduce, imagine",
        "result = n Ergebnis Ergebnisse ~ outcome, event; model = n Modell Modelle ~ pattern; idea = f Idee Ideen"
        " ~ notion, thought",
        "preliminary = vorläufig ~ provisional, temporary; simple = einfach ~ single, easy; bold = kühn ~ daring",
    ),
)

COAST = domain(
    "coast",
    "fire brigade = f Feuerwehr Feuerwehren ~ fire service, fire defence; coast guard = f Küstenwache Küstenwachen"
    " ~ coastal watch; fisherman/fishermen = m Fischer Fischer ~ angler; captain = f Kapitänin Kapitäninnen ~ skipper;"
    " port authority = f Hafenbehörde Hafenbehörden ~ harbour agency; volunteer = m Helfer Helfer ~ helper, assistant",
    "tired = müde ~ weary, sleepy; local = örtlich ~ regional, topical; experienced = erfahren ~ skilled, practised",
    "in the harbour = im Hafen ~ in the port, at the pot; on the north coast = an der Nordküste ~ at the"
    " northern coast;"
    " off the island = vor der Insel ~ in front of the island; along the promenade = entlang der Promenade ~ on"
    " the walk",
    frame(
        "rescue = retten rettete gerettet ~ save, salvage",
        "swimmer = m Schwimmer Schwimmer ~ float; dog = m Hund Hunde ~ hound; crew = f Besatzung Besatzungen"
        " ~ occupation, staff",
        "exhausted = erschöpft ~ empty, tired; missing = vermisst ~ lost, absent; injured = verletzt ~ hurt, violated",
    ),
    frame(
        "secure = sichern sicherte gesichert ~ save, fuse",
        "boat = n Boot Boote ~ ship, vessel; roof = n Dach Dächer ~ top; dyke = m Deich Deiche ~ dam, embankment",
        "damaged = beschädigt ~ broken, harmed; small = klein ~ little, short; wooden = hölzern ~ wood, stiff",
    ),
    frame(
        "clear = räumen räumte geräumt ~ vacate, evacuate",
        "campsite = m Campingplatz Campingplätze ~ camping place; beach = m Strand Strände ~ shore, bank; island ="
        " f Insel Inseln ~ isle",
        "small = klein ~ little, short; crowded = überfüllt ~ overfilled, full; popular = beliebt ~ loved, favourite",
    ),
    frame(
        "expect = erwarten erwartete erwartet ~ await, hope",
        "thunderstorm = n Gewitter Gewitter ~ tempest, storm; storm surge = f Sturmflut Sturmfluten ~ storm"
        " flood; gale ="
        " m Sturm Stürme ~ storm, attack",
        "strong = stark ~ thick, powerful; violent = heftig ~ fierce, intense; first = erst ~ only, early",
    ),
    frame(
        "remove = beseitigen beseitigte beseitigt ~ eliminate, settle",
        "wreck = n Wrack Wracks ~ ruin; obstacle = n Hindernis Hindernisse ~ barrier, fence; branch = m Ast Äste"
        " ~ knot",
        "dangerous = gefährlich ~ risky, unsafe; heavy = schwer ~ difficult, serious; large = groß ~ big, tall",
    ),
)

WORK = (HEALTH, FARM, UNIVERSITY, COAST)

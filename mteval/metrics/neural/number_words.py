"""Words that count or speak of scales, in the languages that judges answer in.

Words around a judge's score must have none of them: "ninety" may be another score, "auf einer Skala bis zehn" is
another scale. A word too many here costs an answer that is asked for again; one too few may cost a wrong score. Left
out are words for 1, which are articles, too, and words that mean something else in English ("once" is 11 in Spanish).
"""

# fmt: off
_NUMBERS = frozenset((
    # English
    "zero", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty", "thirty", "forty", "fifty",
    "sixty", "seventy", "eighty", "ninety", "hundred", "hundreds", "thousand", "twenties", "thirties", "forties",
    "fifties", "sixties", "seventies", "eighties", "nineties", "dozen", "nil", "naught",
    # German
    "null", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwölf",
    # Dutch
    "nul", "twee", "drie", "vijf", "zes", "zeven", "negen", "tien", "elf", "twaalf", "honderd",
    # French
    "zéro", "deux", "trois", "quatre", "cinq", "sept", "huit", "neuf", "dix", "onze", "douze", "quinze", "vingt",
    "trente", "quarante", "cinquante", "soixante", "septante", "huitante", "nonante", "mille",
    # Spanish
    "cero", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "diez", "doce", "quince", "veinte",
    "treinta", "cuarenta", "cincuenta", "sesenta", "setenta", "ochenta", "noventa", "cien", "ciento",
    # Portuguese
    "dois", "duas", "três", "quatro", "sete", "oito", "nove", "dez", "doze", "vinte", "trinta", "quarenta",
    "cinquenta", "sessenta", "oitenta", "cem", "cento",
    # Italian
    "tre", "quattro", "cinque", "sette", "otto", "dieci", "dodici", "venti", "trenta", "quaranta", "cinquanta",
    "sessanta", "settanta", "ottanta", "novanta",
    # Romanian
    "doi", "două", "trei", "patru", "cinci", "șase", "șapte", "nouă", "zece", "sută", "zeci",
    # Czech
    "nula", "nuly", "dva", "dvě", "tři", "čtyři", "pět", "pěti", "šest", "sedm", "osm", "devět", "deset", "deseti",
    "dvacet", "třicet", "čtyřicet", "padesát", "šedesát", "sedmdesát", "osmdesát", "devadesát",
    # Polish
    "zero", "zera", "dwa", "dwie", "trzy", "cztery", "pięć", "pięciu", "sześć", "siedem", "osiem", "dziewięć",
    "dziesięć", "dziesięciu", "dwadzieścia", "trzydzieści", "czterdzieści", "pięćdziesiąt", "sześćdziesiąt",
    "siedemdziesiąt", "osiemdziesiąt", "dziewięćdziesiąt", "stu",
    # Russian and Ukrainian
    "ноль", "нуля", "нуль", "два", "две", "три", "четыре", "пять", "пяти", "шесть", "семь", "восемь", "девять",
    "десять", "десяти", "двадцать", "тридцать", "сорок", "пятьдесят", "шестьдесят", "семьдесят", "восемьдесят",
    "девяносто", "сто", "ста", "чотири", "шість", "сім", "вісім", "десяти", "двадцять",
    "тридцять", "шістдесят", "сімдесят", "вісімдесят", "ять", "ятдесят",
    # Baltic languages, Finnish, Estonian, Icelandic
    "nulis", "nulio", "penki", "dešimt", "dešimties", "šimtas", "nulle", "pieci", "desmit", "simts",
    "nolla", "nollasta", "kaksi", "kolme", "viisi", "viiteen", "kuusi", "kahdeksan", "yhdeksän", "kymmenen",
    "kymmeneen", "kaks", "kolm", "neli", "viis", "kuus", "kaheksa", "üheksa", "kümme", "kümneni",
    "núll", "þrír", "fjórir", "fimm", "tíu", "hundrað",
    # Turkish, Swahili, Vietnamese
    "sıfır", "sıfırdan", "iki", "dört", "beş", "beşe", "altı", "yedi", "sekiz", "dokuz", "yirmi", "otuz",
    "kırk", "elli", "altmış", "yetmiş", "seksen", "doksan", "yüz", "yüze",
    "sifuri", "tano", "kumi", "ishirini", "hamsini", "tisini",
    "mười", "năm", "trăm",
    # Arabic, Urdu, Hebrew
    "صفر", "خمسة", "عشرة", "عشر", "مئة", "مائة", "تسعون", "تسعين", "ثمانون", "ثمانين", "پانچ", "دس", "سو", "نوے", "אפס",
    "חמש", "עשר", "עשרה", "מאה", "תשעים", "שמונים",
    # Hindi, Bengali, Gujarati
    "शून्य", "पाँच", "पांच", "दस", "सौ", "नब्बे", "अस्सी", "শূন্য", "পাঁচ", "দশ", "একশো", "નવ્વાણું", "શૂન્ય", "પાંચ", "દસ", "સો",
))
# Ends of words that are written together: "neunundneunzig", "hundertstel", "Zehnerskala".
_ENDS = (
    "zwanzig", "dreißig", "dreissig", "vierzig", "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig", "hundert",
    "zehn", "twintig", "dertig", "veertig", "vijftig", "zestig", "zeventig", "tachtig", "negentig", "kymmentä",
    "sataa", "kümmend",
    # scales
    "scale", "scales", "skala", "skalen", "skali", "skale", "skalę", "škála", "škále", "škály", "stupnice", "stupnici",
    "échelle", "echelle", "escala", "scala", "scară", "scara", "schaal", "шкала", "шкале", "шкалі", "шкалою",
    "asteikko", "asteikolla", "skaala", "skaalal", "ölçek", "ölçeği", "ölçekte", "ölçeğinde", "סולם",
    "مقياس", "پیمانہ", "پیمانے", "पैमाने", "पैमाना", "स्केल", "স্কেলে",
)
# fmt: on
_SCALES_WITHOUT_SPACES = ("尺度", "段階", "満点", "满分", "滿分", "分制", "만점", "척도", "스케일")


def is_number_sign(character: str) -> bool:
    """Return whether a character is a number by itself: a digit of any script, ``²``, ``½``, ``十``.

    The Chinese character for 1 is not, since it is an article, too.
    """
    return character.isnumeric() and character != "一"


def is_of_numbers(word: str) -> bool:
    """Return whether a word counts, or speaks of a scale."""
    plain = word.casefold()
    if plain in _NUMBERS or plain.endswith(_ENDS):
        return True
    return any(scale in plain for scale in _SCALES_WITHOUT_SPACES)

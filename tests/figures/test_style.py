from mteval.figures.style import LONGEST_NAME, padded_range, plain, short, system_colors


def test_a_system_keeps_its_colour_when_others_are_added() -> None:
    few, many = system_colors(["base", "new"]), system_colors(["base", "new", "newer"])
    assert [many[key] for key in few] == list(few.values())


def test_the_first_six_systems_have_colours_of_their_own_and_more_systems_start_over() -> None:
    colors = list(system_colors([f"s{i}" for i in range(8)]).values())
    assert len(set(colors[:6])) == 6
    assert colors[6:] == colors[:2]


def test_markup_in_names_is_shown_literally() -> None:
    assert plain('<a href="http://x">&</a>') == '&lt;a href="http://x"&gt;&amp;&lt;/a&gt;'


def test_no_name_is_filled_in_or_turns_a_label_round() -> None:
    assert plain("%{x} 50% {y}") == "%&#123;x} 50% {y}"
    assert plain("a\u202eb") == "a⟨U+202E⟩b"


def test_a_long_name_keeps_both_ends_within_the_limit() -> None:
    name = "start" + "x" * 200 + "end"
    assert short(name).startswith("start")
    assert short(name).endswith("end")
    assert len(short(name)) <= LONGEST_NAME


def test_a_long_name_is_cut_before_it_is_escaped_so_that_no_entity_is_cut() -> None:
    assert "&lt;" * 13 in short("<" * 100)
    assert short("<" * 100).replace("&lt;", "").replace("…", "") == ""


def test_a_single_value_still_gets_an_axis() -> None:
    low, high = padded_range(20.0, 20.0)
    assert low < 20.0 < high

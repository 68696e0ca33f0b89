"""What is wrong with the median system, in people's eyes?"""

from mteval.ui.annotate.administration import coordinating
from mteval.ui.annotate.new_campaign import starting
from mteval.ui.annotate.store import (
    campaigns_of_visitor,
    choose_view,
    go_to_view,
    preset_campaign,
    require_store,
    take_coordinators_link,
)
from mteval.ui.annotate.tasks import reading
from mteval.ui.elements import show_left
from mteval.ui.page import heading
from mteval.ui.session.visitor import annotators_token

token = annotators_token()
store = require_store()
if token:
    reading(store, token)
else:
    heading("Annotate", "Let people rate outputs, mark errors in them, or choose the better of two.")
    joined = take_coordinators_link(store)
    if joined is not None:
        go_to_view("annotators", joined)
    view = choose_view()
    if view != "start":
        preset_campaign(campaigns_of_visitor(store))
    show_left()
    if view == "start":
        starting(store)
    else:
        coordinating(store)

"""Calls every operation of the API of orders by the package that openapi-python-client has made; prints what came back.

Arguments: the folder of the package `orders`, the base URL.
"""

import datetime
import json
import sys
import uuid

sys.path.insert(0, sys.argv[1])

from orders import AuthenticatedClient, Client
from orders.api.default import (
    comment,
    delete_order,
    get_order,
    hats,
    hats_2,
    hats_3,
    replace_order,
    sort_categories,
    staff,
)
from orders.api.orders import create_order, list_orders
from orders.models import Category, Comment, Item, ListOrdersStateItem, NewOrder

client = Client(base_url=sys.argv[2], raise_on_unexpected_status=True)
clerk = AuthenticatedClient(base_url=sys.argv[2], token="YWRhOndvbmRlcmxhbmQ=", prefix="Basic")

order = NewOrder(customer=uuid.UUID(int=7), items=[Item(sku="HAT-1", count=2)], note=None)
created = create_order.sync(client=client, body=order)
listed = list_orders.sync(
    client=client,
    limit=5,
    state=[ListOrdersStateItem.OPEN, ListOrdersStateItem.SENT],
    after=datetime.datetime(2026, 11, 23, tzinfo=datetime.timezone.utc),
    gift=False,
)
order.items[0].count = 3
replaced = replace_order.sync(created.id, client=client, body=order)
commented = comment.sync_detailed(created.id, client=client, body=Comment(text="fits", stars=5))
deleted = delete_order.sync_detailed(created.id, client=client)
gone = get_order.sync_detailed(created.id, client=client)
refused = create_order.sync(client=client, body=NewOrder(customer=uuid.UUID(int=7), items=[]))
sorted_ = sort_categories.sync(client=client, body=Category(name="a", below=[Category(name="b")]))

print(
    json.dumps(
        {
            "created": created.to_dict(),
            "listed": [each.id for each in listed],
            "replaced": replaced.order.items[0].count,
            "commented": commented.status_code,
            "deleted": deleted.status_code,
            "gone": gone.status_code,
            "refused": [each.path for each in refused.details],
            "sorted": sorted_.below[0].name,
            "hats": [
                len(hats.sync(3, client=client).hats),
                len(hats_2.sync(client=client).hats),
                len(hats_3.sync(client=client).hats),
            ],
            "staff": staff.sync(client=clerk).name,
        }
    )
)

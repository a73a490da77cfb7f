"""Serves books at /books/ by Django REST framework, whose router has a slash at the end of each path; prints its port.

Ends with its standard input.
"""

import sys
import threading
from wsgiref.simple_server import WSGIRequestHandler, make_server

from django.conf import settings
from django.core.wsgi import get_wsgi_application

settings.configure(
    ALLOWED_HOSTS=["*"],
    INSTALLED_APPS=["rest_framework"],
    MIDDLEWARE=["django.middleware.common.CommonMiddleware"],
    ROOT_URLCONF=__name__,
    SECRET_KEY="books",
    REST_FRAMEWORK={"DEFAULT_AUTHENTICATION_CLASSES": [], "UNAUTHENTICATED_USER": None},
)
application = get_wsgi_application()

from rest_framework import routers, serializers, viewsets  # noqa: E402
from rest_framework.response import Response  # noqa: E402

titles: list[str] = []


class Book(serializers.Serializer):
    title = serializers.CharField()


class Books(viewsets.ViewSet):
    def list(self, request):
        return Response([{"title": title} for title in titles])

    def create(self, request):
        book = Book(data=request.data)
        book.is_valid(raise_exception=True)
        titles.append(book.validated_data["title"])
        return Response({"id": len(titles), **book.validated_data}, status=201)

    def retrieve(self, request, pk):
        return Response({"id": int(pk), "title": titles[int(pk) - 1]})


router = routers.DefaultRouter()
router.register("books", Books, basename="book")
urlpatterns = router.urls


class Quiet(WSGIRequestHandler):
    def log_message(self, *_):
        pass


server = make_server("127.0.0.1", 0, application, handler_class=Quiet)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_port, flush=True)
sys.stdin.read()

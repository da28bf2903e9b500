"""A Django that a test tells what to save."""
import json
import os
from http.server import BaseHTTPRequestHandler, HTTPServer

import django
from django.conf import settings

settings.configure(
    DATABASES={"default": {"ENGINE": "django.db.backends.postgresql", **json.loads(os.environ["DATABASE"])}},
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    INSTALLED_APPS=["django.contrib.contenttypes", "django.contrib.sites", "parler", "taggit", "news"],
    LANGUAGE_CODE="en",
    LANGUAGES=[("en", "English"), ("fr", "French")],
    SECRET_KEY="of a test",
    USE_TZ=True,
)
django.setup()

from django.apps import apps
from django.core.management import call_command
from django.db import transaction
from django.utils.dateparse import parse_datetime

MANY = ("categories", "tags")


@transaction.atomic
def save(model, id=None, translations={}, **fields):
    row = apps.get_model(model).objects.get(pk=id) if id else apps.get_model(model)()
    many = {name: fields.pop(name) for name in MANY if name in fields}
    for name, value in fields.items():
        setattr(row, name, parse_datetime(value) if name.endswith("_at") and value else value)
    row.save()
    for language, texts in translations.items():
        row.set_current_language(language)
        for name, value in texts.items():
            setattr(row, name, value)
        row.save()
    for name, values in many.items():
        getattr(row, name).set(values)
    translated = row.translations.all() if hasattr(row, "translations") else []
    return {"id": row.pk, "translations": {each.language_code: each.pk for each in translated}}


def find(model, **fields):
    return {"id": apps.get_model(model).objects.get(**fields).pk}


def untranslate(model, id, language):
    apps.get_model(model).objects.get(pk=id).delete_translation(language)


def delete(model, id):
    apps.get_model(model).objects.get(pk=id).delete()


class Calls(BaseHTTPRequestHandler):
    def do_POST(self):
        call = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = json.dumps({"result": CALLS[call.pop("call")](**call)}).encode()
        self.send_response(200)
        self.end_headers()
        self.wfile.write(answer)


CALLS = {"save": save, "find": find, "untranslate": untranslate, "delete": delete}
call_command("migrate", verbosity=0)
call_command("migrate", run_syncdb=True, verbosity=0)
server = HTTPServer(("127.0.0.1", 0), Calls)
print(f"Django listens on port {server.server_port}.", flush=True)
server.serve_forever()

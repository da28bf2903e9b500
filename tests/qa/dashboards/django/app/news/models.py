from django.contrib.sites.models import Site
from django.db import models
from parler.models import TranslatableModel, TranslatedFields
from taggit.managers import TaggableManager


class Category(TranslatableModel):
    site = models.ForeignKey(Site, on_delete=models.CASCADE)
    parent = models.ForeignKey("self", null=True, blank=True, on_delete=models.SET_NULL)
    position = models.IntegerField(default=0)
    translations = TranslatedFields(
        name=models.CharField(max_length=200),
        slug=models.SlugField(max_length=200),
    )


class Post(TranslatableModel):
    site = models.ForeignKey(Site, on_delete=models.CASCADE)
    status = models.CharField(max_length=20, default="draft")
    publish_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True, blank=True)
    image = models.CharField(max_length=200, blank=True)
    categories = models.ManyToManyField(Category, blank=True)
    tags = TaggableManager(blank=True)
    translations = TranslatedFields(
        title=models.CharField(max_length=200),
        slug=models.SlugField(max_length=200),
        excerpt=models.TextField(blank=True),
        body=models.TextField(blank=True),
    )

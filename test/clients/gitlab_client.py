"""Reads a project, its files, branches and labels by python-gitlab, whose names have slashes; the URL is the argument."""

import sys

import gitlab

client = gitlab.Gitlab(sys.argv[1], private_token="token", retry_transient_errors=False)
project = client.projects.get("group/sub group/project")
project.files.get(file_path="docs/a+b/über.md", ref="feature/x")
project.branches.get("feature/x%2F1")
project.labels.delete("kind::bug/50%")
client.groups.get("group/sub group").projects.list(get_all=False)

"""The release workflow: what it names exists, actions are pinned, secrets reach one step alone."""

from __future__ import annotations

import os
import re
import subprocess

import pytest
import yaml

from macos import identities
from macos.__main__ import STEPS
from macos.info import PROJECT, project_version

FILE = PROJECT / ".github/workflows/release.yml"
TEXT = FILE.read_text(encoding="utf-8")
WORKFLOW = yaml.safe_load(TEXT)
JOBS = WORKFLOW["jobs"]
STEPS_OF_ALL = [step for job in JOBS.values() for step in job["steps"]]
RUNS = "\n".join(step.get("run", "") for step in STEPS_OF_ALL)


def test_a_tag_or_a_person_starts_it():
    assert WORKFLOW[True] == {"push": {"tags": ["v*"]}, "workflow_dispatch": None}  # YAML 1.1 reads "on" as true


def test_each_action_is_pinned_to_a_commit_and_says_its_version():
    lines = re.findall(r"uses: (.+)", TEXT)
    assert len(lines) >= 5
    assert all(re.fullmatch(r"actions/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line) for line in lines), lines


def test_a_job_may_write_to_the_release_and_to_nothing_else():
    assert WORKFLOW["permissions"] == {"contents": "read"}
    assert all(job["permissions"] == {"contents": "write"} for job in JOBS.values())
    checkouts = [step for step in STEPS_OF_ALL if "checkout" in step.get("uses", "")]
    assert len(checkouts) == len(JOBS)
    assert all(step["with"] == {"persist-credentials": False} for step in checkouts)


def test_each_job_ends_some_day_and_needs_jobs_that_exist():
    assert all(0 < job["timeout-minutes"] <= 120 for job in JOBS.values())
    assert {job["needs"] for job in JOBS.values() if "needs" in job} <= JOBS.keys()
    assert {job["runs-on"] for job in JOBS.values()} == {"macos-15", "ubuntu-22.04", "ubuntu-24.04"}


def test_no_expression_is_pasted_into_a_shell():
    assert "${{" not in RUNS


def test_secrets_reach_the_step_that_signs_and_no_other():
    holders = [step for step in STEPS_OF_ALL if "secrets." in str(step.get("env", {}))]
    assert [step["name"] for step in holders] == ["Sign, notarise and pack it"]
    assert holders[0]["env"] == {name: f"${{{{ secrets.{name} }}}}" for name in holders[0]["env"]}
    known = {value for key, value in vars(identities).items() if key.isupper() and isinstance(value, str)}
    assert set(holders[0]["env"]) == known - {identities.NOTARY_PROFILE, identities.UNSIGNED, identities.NOT_NOTARISED}


def test_what_it_calls_exists():
    targets = re.findall(r"^([\w-]+):", (PROJECT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    called = re.findall(r"\bmake ([\w-]+)", RUNS)
    assert called == ["app", "app"]
    assert set(called) <= set(targets)
    assert set(re.findall(r"-m macos (\w+)", RUNS)) == {"release"} <= STEPS.keys()


def test_the_signed_application_tests_itself_before_it_is_uploaded():
    names = [step.get("name") for step in JOBS["macos"]["steps"]]
    own = [names.index(name) for name in ("Sign, notarise and pack it", "Let the signed application test itself")]
    assert own == sorted(own)
    assert own[-1] < names.index("Put it into the draft")


@pytest.mark.parametrize(("tag", "status"), [(f"v{project_version()}", 0), ("v99.0.0", 1), ("v", 1)])
def test_a_tag_that_is_not_the_version_makes_no_draft(tag, status):
    (step,) = [step for step in STEPS_OF_ALL if step.get("name") == "The tag is the version"]
    environment = {**os.environ, "GITHUB_REF_NAME": tag}
    ended = subprocess.run(["bash", "-e", "-c", step["run"]], cwd=PROJECT, env=environment, check=False)
    assert ended.returncode == status


@pytest.mark.parametrize("step", [step for step in STEPS_OF_ALL if "run" in step], ids=lambda step: step["name"])
def test_each_script_is_one_that_bash_can_read(step):
    assert subprocess.run(["bash", "-n", "-c", step["run"]], check=False).returncode == 0

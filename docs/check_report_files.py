"""Checks files of `clearsweep report` by the schemas and programs of others.

    pip install bcf-client lxml openpyxl trimesh
    npm install gltf-validator
    python docs/check_report_files.py --schemas ../shared/data/bcf issues.bcf run.glb pairs.xlsx pairs.csv

.bcf   valid by the XSD files in DIR/2.1 and DIR/3.0 (if --schemas is given), read back by bcf-client, and, for 2.1, by
       the rules of Procore's importer (support.procore.com, "How can I prevent BCF import errors")
.glb   opened by trimesh, and valid by the Khronos validator (skipped without node and its package)
.xlsx  read by openpyxl: three sheets, no formula
.csv   the same width in all rows, no text that a spreadsheet program takes for a formula

Prints a line for each file and each problem. The exit code is 1 if there is a problem.
"""

import argparse
import collections
import csv
import json
import pathlib
import re
import subprocess
import sys
import zipfile

SCHEMA_OF = {
    "markup.bcf": "markup.xsd",
    "bcf.version": "version.xsd",
    "project.bcfp": "project.xsd",
    "extensions.xml": "extensions.xsd",
    "documents.xml": "documents.xsd",
}

EMAIL = re.compile(r"[^@\s]+@[^@\s.]+(\.[^@\s.]+)+")

VALIDATE = """
const validator = require('gltf-validator');
const bytes = new Uint8Array(require('fs').readFileSync(process.argv[1]));
validator.validateBytes(bytes, { maxIssues: 20 }).then(report => console.log(JSON.stringify(report.issues)));
"""


class Problems:
    """The problems and the remarks of a file."""

    def __init__(self):
        self.problems = []
        self.remarks = []

    def add(self, text):
        self.problems.append(text)

    def remark(self, text):
        self.remarks.append(text)


def schema_name(name):
    """The schema of a file in a BCF archive."""
    file = name.rsplit("/", 1)[-1]
    return "visinfo.xsd" if file.endswith(".bcfv") else SCHEMA_OF.get(file)


def check_schemas(archive, folder, found):
    """Validates every XML file of the archive."""
    from lxml import etree

    schemas, checked = {}, 0
    for name in archive.namelist():
        schema = schema_name(name)
        if schema is None:
            continue
        if schema not in schemas:
            schemas[schema] = etree.XMLSchema(etree.parse(str(folder / schema)))
        document = etree.fromstring(archive.read(name))
        if not schemas[schema].validate(document):
            found.add(f"{name}: {schemas[schema].error_log.last_error}")
        checked += 1
    found.remark(f"{checked} XML files by their schemas")


def check_client(path, archive, found):
    """Reads the file by bcf-client."""
    from bcf.bcfxml import load

    with load(path) as read:
        folders = {name.split("/")[0] for name in archive.namelist() if name.endswith("/markup.bcf")}
        if set(read.topics) != folders:
            found.add(f"bcf-client reads {len(read.topics)} topics of {len(folders)}")
        for guid, topic in read.topics.items():
            if topic.guid != guid or not topic.topic.title:
                found.add(f"{guid}: bcf-client reads another GUID, or no title")
            for viewpoint in topic.viewpoints.values():
                selection = viewpoint.visualization_info.components.selection
                if len(selection.component) != 2:
                    found.add(f"{guid}: bcf-client reads {len(selection.component)} components")
        found.remark(f"bcf-client reads {len(read.topics)} topics")


def check_procore(archive, found):
    """The rules of Procore's importer for BCF 2.1."""
    from lxml import etree

    for name in archive.namelist():
        if not name.endswith("/markup.bcf"):
            continue
        folder = name.rsplit("/", 1)[0]
        markup = etree.fromstring(archive.read(name))
        topic = markup.find("Topic")
        if topic.get("Guid") != folder:
            found.add(f"{name}: the folder is not the GUID of the topic")
        for element in ["Title", "CreationDate", "CreationAuthor"]:
            if not (topic.findtext(element) or "").strip():
                found.add(f"{name}: no {element}")
        if not EMAIL.fullmatch(topic.findtext("CreationAuthor") or ""):
            found.add(f"{name}: the author is no e-mail address")
        shown = [f"{folder}/{element.text}" for element in markup.findall("Viewpoints/*") if element.tag != "Index"]
        if not shown:
            found.add(f"{name}: neither a snapshot nor a viewpoint")
        missing = [file for file in shown if file not in archive.namelist()]
        if missing:
            found.add(f"{name}: {missing} is not in the archive")
        views = [etree.fromstring(archive.read(file)) for file in shown if file.endswith(".bcfv") and file not in missing]
        if not any(view.findall("Components/Selection/Component") for view in views):
            found.add(f"{name}: no component is selected")
    found.remark("rules of Procore")


def check_bcf(path, arguments, found):
    with zipfile.ZipFile(path) as archive:
        broken = archive.testzip()
        if broken:
            found.add(f"{broken} is broken")
        twice = [name for name, count in collections.Counter(archive.namelist()).items() if count > 1]
        if twice:
            found.add(f"twice in the archive: {twice}")
        version = re.search(rb'VersionId="([0-9.]+)"', archive.read("bcf.version")).group(1).decode()
        found.remark(f"BCF {version}")
        if arguments.schemas:
            check_schemas(archive, arguments.schemas / version, found)
        if version == "2.1":
            check_procore(archive, found)
        check_client(path, archive, found)


def check_glb(path, arguments, found):
    import trimesh

    scene = trimesh.load_scene(str(path))
    found.remark(f"trimesh: {len(scene.graph.nodes_geometry)} nodes of {len(scene.geometry)} shapes")
    try:
        run = subprocess.run(["node", "-e", VALIDATE, str(path)], capture_output=True, text=True, cwd=arguments.node)
    except FileNotFoundError:
        found.remark("Khronos validator skipped: no node")
        return
    if "Cannot find module 'gltf-validator'" in run.stderr:
        found.remark("Khronos validator skipped: `npm install gltf-validator` here, or name the folder with --node")
        return
    if run.returncode != 0:
        found.add(f"the Khronos validator fails: {run.stderr.strip()[-500:]}")
        return
    issues = json.loads(run.stdout)
    for message in issues["messages"]:
        text = f"{message['code']} at {message.get('pointer', '')}: {message['message']}"
        if message["severity"] < 2:
            found.add(text)
    counts = ", ".join(f"{issues[key]} {key[3:].lower()}" for key in ["numErrors", "numWarnings", "numInfos", "numHints"])
    found.remark(f"Khronos validator: {counts}")


def check_xlsx(path, arguments, found):
    import openpyxl

    book = openpyxl.load_workbook(path)
    if book.sheetnames != ["Issues", "Pairs", "About"]:
        found.add(f"the sheets are {book.sheetnames}")
    for sheet in book.worksheets:
        if any(cell.data_type == "f" for row in sheet.iter_rows() for cell in row):
            found.add(f"{sheet.title}: a formula")
        if sheet.title != "About" and (sheet.freeze_panes != "A2" or not sheet.auto_filter.ref):
            found.add(f"{sheet.title}: no frozen heading, or no filter")
        found.remark(f"{sheet.title}: {sheet.max_row} rows")


def check_csv(path, arguments, found):
    csv.field_size_limit(1 << 30)
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    if any(len(row) != len(rows[0]) for row in rows):
        found.add("rows differ in width")
    for number, row in enumerate(rows, 1):
        for cell in row:
            if cell[:1] in "=+-@\t\r\n" and cell and not is_number(cell):
                found.add(f"row {number}: a formula: {cell[:40]!r}")
    found.remark(f"{len(rows) - 1} rows")


def is_number(text):
    try:
        float(text)
        return True
    except ValueError:
        return False


CHECKS = {".bcf": check_bcf, ".glb": check_glb, ".xlsx": check_xlsx, ".csv": check_csv}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--schemas", type=pathlib.Path, metavar="DIR", help="the folder with 2.1/ and 3.0/")
    parser.add_argument("--node", type=pathlib.Path, metavar="DIR", help="the folder with node_modules/gltf-validator")
    arguments = parser.parse_args()
    failed = False
    for path in arguments.files:
        found = Problems()
        check = CHECKS.get(path.suffix)
        if check is None:
            found.add(f"no check for {path.suffix!r}")
        else:
            try:
                check(path.resolve(), arguments, found)
            except Exception as error:  # the readers of others raise what they like
                found.add(f"cannot be read: {type(error).__name__}: {error}")
        print(f"{path}: {'; '.join(found.remarks)}")
        for problem in found.problems:
            print(f"{path}: PROBLEM: {problem}")
        failed = failed or bool(found.problems)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

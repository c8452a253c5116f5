"""Runs a suite on a Dask cluster: shards are tasks, each a process `palisade suite --shard`, and `palisade merge` puts their
results together.

    python -m palisade.cluster [--scheduler ADDRESS] SUITE... [-- OPTION...]

What stands after `--` is for `palisade suite`. Without the address of a scheduler a cluster is started on this machine. Workers
must find the binary and the suite under the same paths, as on a shared file system; they need Dask, but not this module.

A shard whose worker is lost is run again by another one. The exit code is that of `palisade suite`.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
import uuid

# Exit codes of `palisade`: the input is wrong, not all is known.
WRONG_INPUT, UNKNOWN = 2, 3
# How many shards there are for each thread of the cluster: so late ones do not keep the others waiting for long.
SHARDS_PER_THREAD = 4
# How often a shard is tried again that fails although its worker lives, for instance because it was told to end.
RETRIES = 3


class WrongInput(Exception):
    """The suite cannot be run anywhere."""


def run_shard(command, folder):
    """The results of one shard, as JSON, and what is wrong with the input. Runs on a worker."""
    import subprocess

    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    # Whoever is told to end before all rows are answered has no results: another worker may have more luck.
    if done.returncode not in (0, 1, 2):
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}: {done.stderr.strip()}")
    return done.stdout, done.stderr if done.returncode == 2 else None


def suite_command(options, shard):
    """The process of one shard."""
    command = [options.palisade, "suite", *options.suites, *options.more]
    return [*command, "--jobs", str(options.jobs), "--format", "json", "--shard", shard]


def submit(client, options, count):
    """Hands out all shards; futures with their names."""
    run = uuid.uuid4().hex
    shards = [f"{index}/{count}" for index in range(1, count + 1)]
    return {
        client.submit(
            run_shard,
            suite_command(options, shard),
            os.getcwd(),
            key=f"palisade-{shard.replace('/', '-of-')}-{run}",
            retries=RETRIES,
        ): shard
        for shard in shards
    }


def gather(client, options, count):
    """The results of all shards, with a line on standard error for each."""
    from distributed import as_completed

    futures = submit(client, options, count)
    results = {}
    start = time.monotonic()
    for future in as_completed(list(futures)):
        shard = futures[future]
        results[shard], wrong = future.result()
        if wrong is not None:
            client.cancel(list(futures))
            raise WrongInput(wrong)
        seconds = time.monotonic() - start
        print(f"{len(results)} of {count} shards after {seconds:.1f} s: {shard}", file=sys.stderr, flush=True)
    return results


def merge(options, results):
    """Prints the results as if the suite had been run at once; the exit code."""
    with tempfile.TemporaryDirectory(prefix="palisade-") as folder:
        files = []
        for shard, text in results.items():
            files.append(os.path.join(folder, shard.replace("/", "-of-") + ".json"))
            with open(files[-1], "w", encoding="utf-8") as file:
                file.write(text)
        command = [options.palisade, "merge", *files, "--format", options.format]
        if options.output:
            command += ["--output", options.output]
        return subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode


def connect(options):
    """A client of the scheduler that is given, else of a cluster on this machine, and what is to be closed in the end."""
    from distributed import Client, LocalCluster

    if options.scheduler:
        client = Client(options.scheduler)
        return client, [client]
    # Tasks only wait for processes: threads of one worker are enough.
    threads = options.workers or os.cpu_count() or 1
    cluster = LocalCluster(n_workers=1, threads_per_worker=threads, processes=False, dashboard_address=None)
    client = Client(cluster)
    return client, [client, cluster]


def threads(client):
    """How many tasks the cluster runs at the same time."""
    client.wait_for_workers(1)
    return max(1, sum(client.nthreads().values()))


def parse(arguments):
    """The command line; what stands after `--` is kept for `palisade suite`."""
    own, more = arguments, []
    if "--" in arguments:
        place = arguments.index("--")
        own, more = arguments[:place], arguments[place + 1 :]
    parser = argparse.ArgumentParser(prog="python -m palisade.cluster", description="Runs a suite on a Dask cluster.")
    parser.add_argument("suites", nargs="+", metavar="SUITE", help="what `palisade suite` takes")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="of a Dask scheduler; without it, a cluster on this machine")
    parser.add_argument("--workers", type=int, metavar="N", help="how many shards at the same time on this machine")
    parser.add_argument("--shards", type=int, metavar="N", help="how many shards [default: 4 for each thread]")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processors for each shard [default: 1]")
    parser.add_argument("--palisade", default=os.environ.get("PALISADE", "palisade"), metavar="PATH", help="the binary")
    parser.add_argument("--format", choices=["text", "json", "junit"], default="text", help="how to print the results")
    parser.add_argument("--output", "-o", metavar="PATH", help="write to this file instead of standard output")
    options = parser.parse_args(own)
    if options.shards is not None and options.shards < 1:
        parser.error("there is at least one shard")
    options.more = more
    options.palisade = shutil.which(options.palisade) or options.palisade
    return options


def main(arguments):
    """Runs a suite; the exit code."""
    options = parse(arguments)
    client, to_close = connect(options)
    from distributed import KilledWorker

    try:
        results = gather(client, options, options.shards or SHARDS_PER_THREAD * threads(client))
    except WrongInput as wrong:
        print(wrong, end="", file=sys.stderr)
        return WRONG_INPUT
    except (RuntimeError, KilledWorker) as error:
        print(f"error: {error}", file=sys.stderr)
        return UNKNOWN
    finally:
        for open_one in to_close:
            open_one.close()
    return merge(options, results)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

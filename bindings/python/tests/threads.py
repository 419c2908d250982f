"""Work in several threads at once."""

import threading


def run_threads(work, count=4):
    """Runs work(0), ..., work(count - 1) in a thread each; all of them have to succeed."""
    failures = []

    def guarded(number):
        try:
            work(number)
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=guarded, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures

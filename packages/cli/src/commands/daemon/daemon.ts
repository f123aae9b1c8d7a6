import { flushCompileCache } from 'node:module'
import { setFlagsFromString } from 'node:v8'
import { toStewardError } from '@steward/contract'
import { SUPERVISED } from '@steward/daemon/service'
import { Command } from 'commander'
import { guardEnd } from '../../daemon/guard-end.ts'
import type { DaemonPlace } from '../../daemon/open-daemon.ts'
import { EXIT, exitCodeOf } from '../../errors/exit-codes.ts'
import { reportError } from '../../errors/report-error.ts'
import { parsePort } from '../../input/option-values.ts'
import { GRACE_MS } from '../../interruption.ts'
import type { Io } from '../../io.ts'
import { printJson } from '../../output/print-json.ts'

interface DaemonFlags extends DaemonPlace {
  json?: true
}

const HELP = `
Examples:
  steward daemon                 in the foreground, on observability.server.port (31337)
  steward daemon --port 0 --json on a free port, printed as JSON

The port is --port, else STEWARD_PORT, else that of the settings. After ^C or SIGTERM the daemon finishes
running calls and exits 0. Other exit codes: 1 it could not start, 2 invalid settings, 4 a daemon
already runs on the data home or the port is in use, 5 missing configuration.
`

export const createDaemonCommand = (io: Io): Command =>
  new Command('daemon')
    .description('Run the daemon in the foreground until it is stopped')
    .option('--port <port>', 'the port to listen on; 0 for any free port', parsePort)
    .option('--home <dir>', 'data home (default: STEWARD_HOME)')
    .option('--json', 'print the address as JSON')
    .addHelpText('after', HELP)
    .action(async (flags: DaemonFlags) => {
      try {
        await run(io, flags)
      } catch (thrown) {
        const exitCode = reportDaemonError(io, thrown)
        // launchd restarts every other exit, and the next start would have the same conflict.
        const isFinal = io.env[SUPERVISED] === 'launchd' && exitCode === EXIT.conflict
        io.exitCode = isFinal ? EXIT.success : exitCode
      }
    })

/** After the time that a stop may take, in which nothing is cut off. */
const KILLED_AFTER_MS = GRACE_MS + 1000

const run = async (io: Io, { json, ...place }: DaemonFlags): Promise<void> => {
  if (io.ownsProcess) {
    io.signal.addEventListener('abort', () => guardEnd(KILLED_AFTER_MS), { once: true })
  }
  // Node waits for V8's workers at exit, and a background compilation that waits for a collection
  // then never ends. Fewer of them make that rarer; `guardEnd` ends a daemon that hangs nevertheless.
  setFlagsFromString('--no-concurrent-sparkplug')
  // It mostly waits, so it starts small: without these flags, loading the code grows the heap, which
  // never shrinks again.
  setFlagsFromString('--optimize-for-size')
  setFlagsFromString('--semi-space-growth-factor=1')
  const { openDaemon } = await import('../../daemon/open-daemon.ts')
  const daemon = await openDaemon(io, place)
  if (daemon === undefined) {
    const reason = 'observability.server.enabled is false in the settings'
    if (json) printJson(oneLine(io), { enabled: false, reason })
    else io.out.write(`The daemon is switched off: ${reason}.\n`)
    return
  }
  const { address } = daemon
  if (json) printJson(oneLine(io), { address, pid: process.pid, home: daemon.home.root })
  else io.out.write(`Steward listens on ${address}\n`)
  // Otherwise Node would write the compile cache at exit, which takes seconds.
  flushCompileCache()
  // With the flags, work later would take half as long again.
  setFlagsFromString('--no-optimize-for-size')
  setFlagsFromString('--semi-space-growth-factor=2')
  await daemon.done
}

const oneLine = (io: Io): Io['out'] => ({ ...io.out, isTerminal: false })

/** Reports why the daemon does not run, and returns the exit code. */
const reportDaemonError = (io: Io, thrown: unknown): number => {
  const error = toStewardError(thrown)
  reportError(io, error)
  const isTaken = error.code === 'daemon_running' || error.code === 'port_busy'
  return isTaken ? EXIT.conflict : exitCodeOf(error.code)
}

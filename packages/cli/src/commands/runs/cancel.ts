import type { RunStatus } from '@steward/contract'
import { cancelStoredRun } from '@steward/runner'
import { Command } from 'commander'
import { findDaemonClient } from '../../daemon/find-daemon-client.ts'
import { EXIT } from '../../errors/exit-codes.ts'
import type { Io } from '../../io.ts'
import { printJson } from '../../output/print-json.ts'
import { withSteward } from '../../setup/open-local.ts'

export const createRunsCancelCommand = (io: Io): Command =>
  new Command('cancel')
    .description(
      'Ends a run of the daemon with all that it started, or gives an interrupted one up.',
    )
    .argument('<id>', 'the run: last, its id, or the end of its id')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nA run that a terminal started is ended there, with ^C.\nEnds with 1 when the run was over before.\n',
    )
    .action(async (id: string, flags: { json?: true }) => {
      const cancelled = await cancel(io, id)
      if (flags.json) printJson(io.out, cancelled)
      else io.out.write(describe(cancelled))
      if (cancelled.status !== 'cancelled') io.exitCode = EXIT.failed
    })

const cancel = async (io: Io, id: string): Promise<{ id: string; status: RunStatus }> => {
  const daemon = await findDaemonClient(io)
  if (daemon !== undefined) return daemon.call('cancelRun', { params: { id }, body: {} })
  return withSteward(io, ({ history }) => cancelStoredRun(history, id, io.now()))
}

const describe = ({ id, status }: { id: string; status: RunStatus }): string =>
  status === 'cancelled'
    ? `run ${id} is cancelled\n`
    : `run ${id} was over before: it is ${status}\n`

import { BETA_FAMILIES } from '@steward/contract'
import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { printJson } from '../../output/print-json.ts'
import { COMMAND } from '../../setup/command-name.ts'
import { findPending, renderPending } from './pending.ts'
import { type TargetFlags, withTarget } from './target.ts'
import type { Session } from './types.ts'
import { withServer } from './with-server.ts'

export const createHostedWakeCommand = (io: Io): Command =>
  withTarget(new Command('wake'))
    .description('Make the server check a session now; sends nothing')
    .argument('<session>', 'its id')
    .action((id: string, flags: TargetFlags) => wakeSession(io, id, flags))

/** Wakes a session on the server, and shows its state. */
const wakeSession = (io: Io, id: string, flags: TargetFlags): Promise<void> =>
  withServer(
    io,
    flags,
    async ({ client, kind, suffix }) => {
      if (kind === 'vendor')
        io.err.write(
          'the vendor has no such call: its server wakes a session by itself and on every message\n',
        )
      else
        await client.post(`/v1/sessions/${encodeURIComponent(id)}/wake`, {
          headers: { 'anthropic-beta': BETA_FAMILIES.agents },
        })
      const session = await client.beta.sessions.retrieve(id)
      const pending = await findPending(client, session)
      if (flags.json) {
        printJson(io.out, { id, status: session.status, asked: kind !== 'vendor', pending })
        return
      }
      io.out.write(`${id} is ${session.status}\n`)
      io.out.write(
        pending.length > 0
          ? renderPending(id, pending, suffix, io.out.paint)
          : `${describeNext(session, suffix)}\n`,
      )
    },
    { sessions: true },
  )

const describeNext = ({ id, status }: Session, suffix: string): string => {
  if (status === 'idle')
    return `it waits for a message: ${COMMAND} hosted send ${id}${suffix} "its task"`
  if (status === 'terminated') return 'it has ended'
  return `watch it: ${COMMAND} hosted stream ${id}${suffix}`
}

import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import type { Paint } from '../../output/paint.ts'
import { printJson } from '../../output/print-json.ts'
import { formatTable } from '../../output/table.ts'
import { readServerStatus, type ServerStatus } from './server-status.ts'
import { type TargetFlags, withTarget } from './target.ts'
import { withServer } from './with-server.ts'

export const createHostedStatusCommand = (io: Io): Command =>
  withTarget(new Command('status'))
    .description('Show the state of a server, its sandbox and sessions')
    .action((flags: TargetFlags) => showStatus(io, flags))

/** Whether it answers, its isolation and limits, and its sessions. */
const showStatus = (io: Io, flags: TargetFlags): Promise<void> =>
  withServer(
    io,
    flags,
    async (connection) => {
      const { client, where, kind } = connection
      const server = await readServerStatus(connection)
      // A vendor reports no status, so only check that it accepts the key.
      if (server === undefined) await client.beta.sessions.list({ limit: 1 })
      if (flags.json) printJson(io.out, { address: client.baseURL, kind, ...server })
      else io.out.write(renderStatus(where, server, io.out.paint))
    },
    { sessions: true },
  )

/** One line per fact; facts that a server does not report are omitted. */
export const renderStatus = (
  where: string,
  server: ServerStatus | undefined,
  paint: Paint,
): string => {
  const { hands, engine, place = '', sessions } = server ?? {}
  const rows = [['server', cleanText(`${where} answers`)]]
  if (hands !== undefined) rows.push(['sandbox', describeIsolation(hands, paint)])
  if (hands?.network !== undefined) rows.push(['network', describeNetwork(hands.network)])
  for (const remark of hands?.remarks ?? []) rows.push(['note', paint.yellow(cleanText(remark))])
  if (engine !== undefined) rows.push(['store', cleanText(`${engine} ${place}`)])
  if (sessions !== undefined) rows.push(['sessions', describeCounts(sessions)])
  return formatTable(rows)
}

/** What programs in sandboxes can use; which hosts they reach is the environment's choice. */
export const describeNetwork = (network: string): string =>
  network === 'tcp'
    ? 'DNS and TCP in sandboxes'
    : network === 'http'
      ? 'only HTTP in sandboxes'
      : "this machine's own"

/** Isolation and limits, or a warning that there are none. */
export const describeIsolation = (
  hands: { driver: string; isolated: boolean; limits: string; seccomp: boolean },
  paint: Paint,
): string => {
  if (!hands.isolated) return paint.red('NO ISOLATION')
  const filter = hands.seccomp ? 'filtered' : 'not filtered'
  return cleanText(`${hands.driver}, limits by ${hands.limits}, system calls ${filter}`)
}

const describeCounts = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([status, count]) => `${count} ${status}`)
    .join(', ')

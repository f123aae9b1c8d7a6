import { resolve } from 'node:path'
import {
  DEFAULT_WORKERS,
  deployedWorkers,
  listWorkers,
  openPlatform,
  readBuiltWorkers,
  readWorkerStatus,
  shortOf,
  type WorkerStatus,
} from '@steward/edge/deploy'
import { Command } from 'commander'
import { EXIT } from '../../errors/exit-codes.ts'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { formatTime } from '../../output/format.ts'
import { printJson } from '../../output/print-json.ts'
import { formatTable } from '../../output/table.ts'
import { COMMAND } from '../../setup/command-name.ts'
import { requireEdge } from '../../setup/require-edge.ts'
import { createWorkersLogsCommand } from './logs.ts'

const HELP = `
Examples:
  steward workers                              list deployed workers
  steward workers status f-feeds-poller        version, crons, bindings, secrets, problems
  steward workers logs f-feeds-poller --follow follow its log

These commands query the platform's API and need no local files. They use STEWARD_CF_TOKEN if set,
otherwise wrangler's login.
`

export const createWorkersCommand = (io: Io): Command =>
  new Command('workers')
    .hook('preAction', () => requireEdge(io))
    .description('List and inspect deployed workers')
    .addCommand(createWorkersListCommand(io), { isDefault: true })
    .addCommand(createWorkersStatusCommand(io))
    .addCommand(createWorkersLogsCommand(io))
    .addHelpText('after', HELP)

const createWorkersListCommand = (io: Io): Command =>
  new Command('list')
    .description('List deployed actions, pipelines and flows')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: true }) => {
      const { api } = await openPlatform(io)
      const workers = await listWorkers(api)
      if (json) return printJson(io.out, workers)
      if (workers.length === 0) {
        io.out.write(`no worker is deployed yet: ${COMMAND} deploy --all\n`)
        return
      }
      const rows = workers.map(({ worker, primitive, name, modified }) => [
        primitive,
        worker,
        name,
        modified === null ? '' : formatTime(modified),
      ])
      io.out.write(formatTable(rows))
    })

interface StatusFlags {
  dir: string
  json?: true
}

const createWorkersStatusCommand = (io: Io): Command =>
  new Command('status')
    .description('Show version, crons, bindings, secrets and problems')
    .argument('[names...]', 'names of workers (default: all)')
    .option('--dir <dir>', 'folder of the worker directories', DEFAULT_WORKERS)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExits 1 if a worker has a problem.\n')
    .action(async (words: string[], { dir, json }: StatusFlags) => {
      const { api } = await openPlatform(io)
      const directories = await readBuiltWorkers(resolve(io.cwd, dir))
      const names =
        words.length > 0 ? words.map((word) => `exec-${shortOf(word)}`) : await deployedWorkers(api)
      const statuses: WorkerStatus[] = []
      for (const name of names) statuses.push(await readWorkerStatus(api, name, directories))
      if (json) printJson(io.out, statuses)
      else io.out.write(statuses.map((status) => render(status, io)).join('\n'))
      const healthy = statuses.every(({ problems }) => problems.length === 0)
      io.exitCode = healthy ? EXIT.success : EXIT.failed
    })

const render = (status: WorkerStatus, io: Io): string => {
  const { paint } = io.out
  const { worker, version, deployedAt, deployedBy, crons, bindings, secrets, problems } = status
  const when = deployedAt === null ? '' : `, deployed ${formatTime(deployedAt)}`
  const facts = [
    ['version', `${version ?? 'unknown'}${when}${deployedBy === null ? '' : ` by ${deployedBy}`}`],
    ...(crons.length === 0 ? [] : [['cron', crons.join(', ')]]),
    ...bindings
      .filter(({ type }) => type !== 'secret_text')
      .map(({ name, type, target }) => ['binding', `${name} (${target ?? type})`]),
    ['secrets', secrets.set.join(', ') || 'none'],
    ...problems.map((problem) => ['problem', problem]),
  ]
  const lines = facts.map(([label = '', text = '']) => {
    const shown = label.padEnd(8)
    return `  ${label === 'problem' ? paint.red(shown) : shown}  ${cleanText(text)}\n`
  })
  return `${paint.bold(worker)}\n${lines.join('')}`
}

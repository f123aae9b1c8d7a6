import { resolve } from 'node:path'
import {
  DEFAULT_WORKERS,
  deployedWorkers,
  openPlatform,
  readBuiltWorkers,
  readSecretStatus,
  type SecretStatus,
  shortOf,
} from '@steward/edge/deploy'
import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { printJson } from '../../output/print-json.ts'
import { formatTable } from '../../output/table.ts'
import { COMMAND } from '../../setup/command-name.ts'

interface StatusFlags {
  worker?: string[]
  dir: string
  json?: true
}

export const createSecretsStatusCommand = (io: Io): Command =>
  new Command('status')
    .alias('list')
    .description('Show the secrets each deployed worker has and lacks')
    .option('--worker <names...>', 'show only these workers')
    .option('--dir <dir>', 'folder of the worker directories', DEFAULT_WORKERS)
    .option('--json', 'print JSON')
    .action(async ({ worker, dir, json }: StatusFlags) => {
      const { api } = await openPlatform(io)
      const directories = await readBuiltWorkers(resolve(io.cwd, dir))
      const names = worker?.map((word) => `exec-${shortOf(word)}`) ?? (await deployedWorkers(api))
      const statuses = await readSecretStatus(api, directories, names)
      if (json) return printJson(io.out, statuses)
      io.out.write(render(statuses, io))
    })

const render = (statuses: readonly SecretStatus[], io: Io): string => {
  if (statuses.length === 0) return `no worker is deployed yet: ${COMMAND} deploy --all\n`
  const { paint } = io.out
  const rows = statuses.map(({ worker, set, missing, complete }) => [
    missing.length === 0 ? paint.green('ok') : paint.yellow('lacks'),
    worker,
    [
      ...missing.map((name) => paint.yellow(name)),
      ...(set.length === 0 ? [] : [`has ${set.join(', ')}`]),
      ...(complete ? [] : [paint.dim('not built here: only AUTH_TOKEN is checked')]),
    ].join('; '),
  ])
  return formatTable(rows)
}

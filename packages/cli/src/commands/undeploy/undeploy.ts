import { StewardError } from '@steward/contract'
import {
  KIND_NAMES,
  lockDeploys,
  openPlatform,
  type Platform,
  planUndeploy,
  shortOf,
  type UndeployPlan,
  undeployWorkers,
} from '@steward/edge/deploy'
import { Command } from 'commander'
import { EXIT } from '../../errors/exit-codes.ts'
import { askConsent } from '../../input/ask-consent.ts'
import type { Io } from '../../io.ts'
import { countOf } from '../../output/count-of.ts'
import { createLiveLine } from '../../output/live-line.ts'
import { printJson } from '../../output/print-json.ts'
import { requireEdge } from '../../setup/require-edge.ts'

interface UndeployFlags {
  all?: true
  resources?: true
  force?: true
  yes?: true
  json?: true
}

const HELP = `
Examples:
  steward undeploy f-feeds-digest           delete one worker, after a question
  steward undeploy --all --yes              delete all workers of Steward in the account
  steward undeploy --all --resources        also the databases, namespaces and queues

A worker is deleted with its secrets, crons and versions. --resources deletes only resources that
"steward deploy" created and that no other worker uses, WITH ALL DATA IN THEM: items that were
delivered, the record of runs, waiting messages. This cannot be undone.
`

export const createUndeployCommand = (io: Io): Command =>
  new Command('undeploy')
    .hook('preAction', () => requireEdge(io))
    .description('Delete deployed workers')
    .argument('[short-names...]', 'a-…, p-…, f-… or relay: names of workers')
    .option('--all', 'delete every worker of Steward in the account')
    .option('--resources', 'also delete what deploy created, with all data in it')
    .option('--force', 'even if other workers call them')
    .option('-y, --yes', 'do not ask')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(async (words: string[], flags: UndeployFlags) => {
      if ((words.length === 0) === (flags.all === undefined)) {
        const reason = 'name the workers (a-…, p-…, f-…), or use --all; not both'
        throw new StewardError('invalid_input', { subject: 'steward undeploy', reason })
      }
      const platform = await openPlatform(io)
      const lock = lockDeploys(platform.home)
      try {
        await planAndUndeploy(io, platform, words, flags)
      } finally {
        lock.release()
      }
    })

const planAndUndeploy = async (
  io: Io,
  platform: Platform,
  words: readonly string[],
  flags: UndeployFlags,
): Promise<void> => {
  const plan = await planUndeploy(platform.api, platform.ledger, {
    workers: flags.all ? undefined : words.map((word) => `exec-${shortOf(word)}`),
    resources: flags.resources === true,
  })
  const { workers, resources, broken, used } = plan
  if (broken.length > 0 && !flags.force) {
    const callers = broken.map(({ worker, calls }) => `${worker} calls ${calls}`).join(', ')
    const reason = `${callers}; undeploy these, too, or add --force`
    throw new StewardError('invalid_input', { subject: 'steward undeploy', reason })
  }
  for (const { kind, name, worker } of used) {
    io.err.write(`kept: ${KIND_NAMES[kind]} ${name}, because ${worker} uses it\n`)
  }
  if (workers.length + resources.length === 0) {
    if (flags.json) printJson(io.out, { success: true, workers, resources })
    else io.out.write('nothing is deployed\n')
    return
  }
  if (!flags.yes) {
    io.err.write(describe(plan))
    if (!(await askConsent(io, 'Delete this? It cannot be undone.'))) {
      io.exitCode = EXIT.failed
      return
    }
  }
  const live = createLiveLine(io.err, io.now)
  try {
    await undeployWorkers(
      {
        ...platform,
        now: io.now,
        onProgress: (what, status) => {
          if (status === 'started') return live.begin(what, `deleting ${what}`)
          live.end(what)
          live.print(`${what} deleted`)
        },
      },
      plan,
    )
  } finally {
    live.close()
  }
  if (flags.json) printJson(io.out, { success: true, workers, resources })
  else
    io.out.write(
      `${countOf(workers.length, 'worker')} and ${countOf(resources.length, 'resource')} deleted\n`,
    )
}

const describe = ({ workers, resources, broken }: UndeployPlan): string =>
  [
    ...workers.map((worker) => `delete ${worker}, with its secrets`),
    ...resources.map(
      ({ kind, name }) => `delete the ${KIND_NAMES[kind]} ${name} WITH ALL DATA IN IT`,
    ),
    ...broken.map(({ worker, calls }) => `${worker} stops working, because it calls ${calls}`),
  ]
    .map((line) => `${line}\n`)
    .join('')

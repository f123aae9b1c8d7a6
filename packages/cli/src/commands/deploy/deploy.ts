import { resolve } from 'node:path'
import { reasonOf, StewardError } from '@steward/contract'
import {
  createResources,
  DEFAULT_WORKERS,
  type DeployedWorker,
  type DeployPlan,
  deployWorkers,
  hasContainerEngine,
  KIND_NAMES,
  leaveOutContainers,
  lockDeploys,
  openPlatform,
  type Platform,
  planDeploy,
  readSecretStatus,
  readWorkersToDeploy,
  selectWorkers,
  type WorkerToDeploy,
  withCalledWorkers,
} from '@steward/edge/deploy'
import { Command } from 'commander'
import { exitCodeOf } from '../../errors/exit-codes.ts'
import { reportError } from '../../errors/report-error.ts'
import { askConsent } from '../../input/ask-consent.ts'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { createLiveLine } from '../../output/live-line.ts'
import { printJson } from '../../output/print-json.ts'
import { COMMAND } from '../../setup/command-name.ts'
import { requireEdge } from '../../setup/require-edge.ts'
import { renderDeployed, renderPlan, rollbackOf } from './render-deploy.ts'

interface DeployFlags {
  all?: true
  dryRun?: true
  force?: true
  withoutContainers?: true
  yes?: true
  dir: string
  json?: true
}

const HELP = `
Examples:
  steward deploy --all                      upload every changed worker
  steward deploy a-summarize p-article-digest
  steward deploy f-morning-paper            the flow, its pipeline and its actions
  steward deploy relay                      the relay that phones answer through
  steward deploy --all --dry-run            show the plan and wrangler's checks; no upload
  steward deploy --all --yes                create missing resources without asking

Deploy uses wrangler's login (npx wrangler login) and ignores CF_API_TOKEN and CLOUDFLARE_API_TOKEN.
The account is edge.accountId in settings.json, CLOUDFLARE_ACCOUNT_ID, or the login's only account.
Workers that the named ones call are deployed before them if they are missing or have changed.
D1 databases, KV namespaces, queues and buckets that do not exist yet are created after a question,
or with --yes. Nothing is uploaded if a name, a resource or a binding's target is wrong. Run an interrupted deploy
again to continue where it stopped. Workers that run in a container need Docker on this machine and
the platform's paid plan.
`

export const createDeployCommand = (io: Io): Command =>
  new Command('deploy')
    .hook('preAction', () => requireEdge(io))
    .description('Upload built workers: actions, then pipelines, then flows')
    .argument('[short-names...]', 'a-…, p-…, f-… or relay: names of worker directories')
    .option('--all', 'deploy every worker directory')
    .option('--dry-run', 'show the plan and let wrangler check it; upload nothing')
    .option('--force', 'upload unchanged workers, too')
    .option('-y, --yes', 'create missing resources without asking')
    .option('--without-containers', 'skip workers in containers and workers that bind to them')
    .option('--dir <dir>', 'folder of the worker directories', DEFAULT_WORKERS)
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(async (words: string[], flags: DeployFlags) => {
      const chosen = await chooseWorkers(io, words, flags)
      const platform = await openPlatform(io)
      const lock = flags.dryRun ? undefined : lockDeploys(platform.home)
      try {
        await planAndDeploy(io, platform, chosen, flags)
      } finally {
        lock?.release()
      }
    })

const planAndDeploy = async (
  io: Io,
  platform: Platform,
  chosen: readonly WorkerToDeploy[],
  flags: DeployFlags,
): Promise<void> => {
  const json = flags.json === true
  const force = flags.force === true
  const planNow = () =>
    planDeploy(platform.api, platform.ledger, chosen, {
      force,
      hasContainerEngine: () => hasContainerEngine(io),
    })
  const plan = await planNow()
  for (const note of plan.notes) io.err.write(`note: ${note}\n`)
  if (plan.problems.length > 0) return refuse(io, plan, json)
  if (flags.dryRun) return tryPlan(io, platform, plan, json)
  if (plan.missing.length === 0) return deploy(io, platform, plan, json)
  if (!(await maySetUp(io, plan, flags))) return refuse(io, plan, json)
  const missing = plan.missing.map(({ resource }) => resource)
  await createResources({ ...platform, now: io.now }, missing, ({ kind, name }) =>
    io.err.write(`created: ${KIND_NAMES[kind]} ${name}\n`),
  )
  await deploy(io, platform, await planNow(), json)
}

/** Whether resources may be created in the account, which may cost money there. */
const maySetUp = async (io: Io, { missing }: DeployPlan, flags: DeployFlags): Promise<boolean> => {
  if (flags.yes) return true
  if (!io.err.isTerminal || io.stdinKind() !== 'nothing') return false
  for (const { resource } of missing) {
    io.err.write(`missing: ${KIND_NAMES[resource.kind]} ${resource.name}\n`)
  }
  return askConsent(io, 'Create them in your account?')
}

const chooseWorkers = async (
  io: Io,
  words: readonly string[],
  { all, dir, withoutContainers }: DeployFlags,
): Promise<WorkerToDeploy[]> => {
  if ((words.length === 0) === (all === undefined)) {
    throw new StewardError('invalid_input', {
      subject: 'steward deploy',
      reason: 'name the workers (a-…, p-…, f-…), or use --all; not both',
    })
  }
  const folder = resolve(io.cwd, dir)
  const built = await readWorkersToDeploy(folder)
  if (built.length === 0) {
    const reason = 'it has no worker directory; create them with `steward edge build`'
    throw new StewardError('not_configured', { subject: folder, reason })
  }
  const chosen = all ? built : withCalledWorkers(built, selectWorkers(built, words))
  if (!withoutContainers) return chosen
  const { kept, left } = leaveOutContainers(chosen)
  for (const { worker, reason } of left) io.err.write(`left out: ${worker} ${reason}\n`)
  return kept
}

const refuse = (io: Io, plan: DeployPlan, json: boolean): void => {
  const problems = [...plan.missing.map(({ problem }) => problem), ...plan.problems]
  if (json) printJson(io.out, { success: false, problems: problems.map((each) => each.toBody()) })
  for (const problem of problems) reportError(io, problem)
  io.err.write('nothing was uploaded\n')
  io.exitCode = exitCodeOf(problems[0]?.code ?? 'internal')
}

const tryPlan = async (
  io: Io,
  { wrangler }: Platform,
  plan: DeployPlan,
  json: boolean,
): Promise<void> => {
  if (!json) io.out.write(renderPlan(plan, io.out))
  const live = createLiveLine(io.err, io.now)
  try {
    for (const { worker, reason } of plan.steps) {
      if (reason === 'unchanged') continue
      live.begin(worker.short, `checking ${worker.configuration.name}`)
      await wrangler.tryDeploy(worker.directory)
      live.end(worker.short)
    }
  } finally {
    live.close()
  }
  const steps = plan.steps.map(({ worker, reason, currentVersion }) => ({
    worker: worker.configuration.name,
    reason,
    currentVersion,
  }))
  const missing = plan.missing.map(({ resource }) => resource)
  if (json) printJson(io.out, { success: true, dryRun: true, steps, missing })
  else {
    for (const { resource } of plan.missing) {
      io.out.write(`would create: ${KIND_NAMES[resource.kind]} ${resource.name}\n`)
    }
    io.out.write('dry run: wrangler accepts it; nothing was uploaded\n')
  }
}

const deploy = async (
  io: Io,
  platform: Platform,
  plan: DeployPlan,
  json: boolean,
): Promise<void> => {
  const live = createLiveLine(io.err, io.now)
  let done = 0
  try {
    const workers = await deployWorkers(
      {
        ...platform,
        now: io.now,
        onProgress: ({ worker, status, done: count, total }) => {
          done = count
          if (status === 'started') return live.begin(worker, `deploying ${worker}`)
          live.end(worker)
          if (status === 'deployed') live.print(`[${count}/${total}] ${worker} deployed`)
        },
      },
      plan.steps,
    )
    live.close()
    await report(io, platform, plan, workers, json)
  } catch (thrown) {
    live.close()
    const total = plan.steps.length
    io.err.write(`stopped after ${done} of ${total}; the same command continues from there\n`)
    throw thrown
  } finally {
    live.close()
  }
}

const report = async (
  io: Io,
  { api }: Platform,
  plan: DeployPlan,
  workers: readonly DeployedWorker[],
  json: boolean,
): Promise<void> => {
  const directories = plan.steps.map(({ worker }) => worker)
  const names = workers.map(({ worker }) => worker)
  const lacking = await readSecretStatus(api, directories, names).catch((thrown: unknown) => {
    // The deploy itself succeeded, so a failed query of the secrets is only a note.
    io.err.write(`note: cannot tell which secrets are missing: ${cleanText(reasonOf(thrown))}\n`)
    return []
  })
  const missing = lacking.filter((status) => status.missing.length > 0)
  if (json) {
    const all = workers.map((each) => ({ ...each, rollback: rollbackOf(each) ?? null }))
    const secrets = missing.map(({ worker, missing: names }) => ({ worker, missing: names }))
    return printJson(io.out, { success: true, workers: all, missingSecrets: secrets })
  }
  io.out.write(renderDeployed(workers, io.out))
  if (missing.length === 0) return
  const { paint } = io.out
  const count = missing.length === 1 ? 'one worker lacks' : `${missing.length} workers lack`
  io.out.write(`${paint.yellow(`${count} secrets`)}: ${COMMAND} secrets status\n`)
}

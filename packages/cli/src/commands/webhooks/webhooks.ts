import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import {
  type FlowEntry,
  type FlowSource,
  INBOX_WORKER,
  isJsonObject,
  nearestHint,
  parseJson,
  StewardError,
  sourcesOf,
  unwrap,
  workerName,
} from '@steward/contract'
import { signRequest } from '@steward/engine'
import { deployedUrls, findDaemon, findRunningEdge, openDeployLedger } from '@steward/platform'
import type { LocalRuntime } from '@steward/runner'
import { Command } from 'commander'
import { findDaemonClient } from '../../daemon/daemon-client.ts'
import { readTextFile } from '../../input/read-text-file.ts'
import type { Io } from '../../io.ts'
import { withLocalRuntime } from '../../local-runtime/open-local.ts'
import { cleanText } from '../../output/clean-text.ts'
import { printJson } from '../../output/print-json.ts'
import { formatTable } from '../../output/table.ts'
import { COMMAND } from '../../setup/command-name.ts'

type WebhookFlow = FlowEntry & { source: Extract<FlowSource, { type: 'webhook' }> }

interface TestFlags {
  body?: string
  id?: string
  to?: string
  json?: true
}

const HELP = `
A call is signed as the sender would sign it, with the secret that the flow names.

Examples:
  steward webhooks                                  addresses and schemes
  steward webhooks test F_ORDERS_LABEL              a sample call to the daemon
  steward webhooks test F_ORDERS_LABEL --body @call.json --id evt_1
  steward webhooks test F_ORDERS_LABEL --to https://f-orders-label.me.workers.dev/webhook
`

export const createWebhooksCommand = (io: Io): Command =>
  new Command('webhooks')
    .description('List webhooks; send a signed test call')
    .addHelpText('after', HELP)
    .addCommand(createListCommand(io), { isDefault: true })
    .addCommand(createTestCommand(io))

const createListCommand = (io: Io): Command =>
  new Command('list')
    .description('List flows with a webhook and their addresses')
    .option('--json', 'print JSON')
    .action(({ json }: { json?: true }) =>
      withLocalRuntime(io, async (steward) => {
        const base = (await findDaemon(steward.home))?.address
        const outside = await findInboxUrl(steward)
        const webhooks = webhookFlows(steward).map(({ name, source, schedule }) => ({
          flow: name,
          address: base === undefined ? null : addressOf(base, name),
          outside:
            outside === undefined || schedule.runsOn !== 'here'
              ? null
              : addressOf(outside.replace(/\/$/, ''), name),
          scheme: source.scheme,
          secret: source.secret,
          secretIsSet: steward.environment[source.secret] !== undefined,
          enabled: schedule.enabled,
        }))
        if (json) return printJson(io.out, { webhooks })
        if (webhooks.length === 0) {
          io.out.write('no flow has a webhook source\n')
          return
        }
        const rows = webhooks.map(
          ({ flow, address, outside: reachable, scheme, secret, secretIsSet, enabled }) => [
            flow,
            enabled ? (address ?? 'no daemon runs') : 'disabled',
            scheme,
            secretIsSet ? secret : `${secret} (not set)`,
            reachable ?? '',
          ],
        )
        const titles = [
          'FLOW',
          'ADDRESS',
          'SCHEME',
          'SECRET',
          outside === undefined ? '' : 'FROM OUTSIDE',
        ]
        io.out.write(formatTable([titles, ...rows]))
      }),
    )

/** The user's own worker that accepts calls for flows of this machine. */
const findInboxUrl = async ({ home, settings }: LocalRuntime): Promise<string | undefined> => {
  const worker = workerName(INBOX_WORKER)
  const deploys = deployedUrls(await openDeployLedger(home).read(), settings.edge.accountId)
  return (
    settings.edge.workers[worker] ?? deploys.get(worker) ?? findRunningEdge(home)?.workers[worker]
  )
}

const createTestCommand = (io: Io): Command =>
  new Command('test')
    .description('Send a correctly signed call and show the result')
    .argument('<flow>', 'a name (F_…) or an id')
    .option('--body <text>', 'the JSON body, or @file; a sample by default')
    .option('--id <id>', 'the delivery id; a new one by default')
    .option('--to <url>', 'another address, such as that of a worker')
    .option('--json', 'print JSON')
    .action((name: string, flags: TestFlags) =>
      withLocalRuntime(io, async (steward) => {
        const flow = findWebhookFlow(steward, name)
        const id = flags.id ?? `test-${randomUUID()}`
        const body = await readBody(io, flags.body, flow, id)
        const secret = steward.environment[flow.source.secret]
        if (secret === undefined) {
          const reason = `${flow.source.secret} is not set; add it to ${steward.home.envFile}`
          throw new StewardError('not_configured', { subject: 'the webhook secret', reason })
        }
        const bytes = new TextEncoder().encode(body)
        const headers = unwrap(
          await signRequest(flow.source, secret, { body: bytes, id, nowMs: io.now() }),
        )
        const to = flags.to ?? (await daemonAddress(steward, flow.name))
        const sent = await post(io, to, bytes, headers)
        const delivery = isJsonObject(sent.answer) ? sent.answer.delivery : undefined
        const isOurs = flags.to === undefined && typeof delivery === 'string'
        const run = isOurs ? await waitForRun(io, flow.name, delivery) : undefined
        const isAccepted = sent.status >= 200 && sent.status < 300
        io.exitCode = isAccepted ? 0 : 1
        if (flags.json) {
          const result = { to, headers, body, ...sent, ...(run && { run }) }
          return printJson(io.out, steward.redactor.redact(result).value)
        }
        io.out.write(`POST ${to}\n`)
        for (const [header, value] of Object.entries(headers)) io.out.write(`${header}: ${value}\n`)
        io.out.write(`\n${cleanText(body)}\n\n`)
        io.out.write(`answer ${sent.status}: ${cleanText(JSON.stringify(sent.answer))}\n`)
        if (run === undefined) return
        io.out.write(
          run.state === 'done'
            ? `run ${run.run}: ${cleanText(run.detail ?? '')}\n`
            : `accepted; its run has not ended yet: ${COMMAND} runs\n`,
        )
      }),
    )

const webhookFlows = ({ catalog }: Pick<LocalRuntime, 'catalog'>): WebhookFlow[] =>
  catalog.flows.all().flatMap(({ flow }) => {
    const [source] = sourcesOf(flow)
    return source.type === 'webhook' ? [{ ...flow, source }] : []
  })

const findWebhookFlow = (steward: LocalRuntime, name: string): WebhookFlow => {
  const known = webhookFlows(steward)
  const found = known.find((flow) => flow.name === name || flow.id === name)
  if (found !== undefined) return found
  const names = known.map((flow) => flow.name)
  const hint = nearestHint(name, names)
  throw new StewardError('not_found', { what: 'flow with a webhook source', name, hint })
}

const addressOf = (base: string, flow: string): string => `${base}/webhooks/${flow}`

const daemonAddress = async ({ home }: LocalRuntime, flow: string): Promise<string> => {
  const daemon = await findDaemon(home)
  if (daemon !== undefined) return addressOf(daemon.address, flow)
  const reason = `no daemon runs on ${home.root}; start one with \`${COMMAND} daemon\`, or name an address with --to`
  throw new StewardError('not_configured', { subject: 'the webhook', reason })
}

/** Slack and Stripe name the delivery in the body. */
const readBody = async (
  io: Io,
  given: string | undefined,
  { source }: WebhookFlow,
  id: string,
): Promise<string> => {
  if (given !== undefined) {
    return given.startsWith('@') ? readTextFile(given.slice(1), io.cwd) : given
  }
  const sample = {
    id,
    ...(source.scheme === 'slack' ? { event_id: id } : {}),
    title: 'A test call',
    content: 'Sent by steward webhooks test.',
  }
  return JSON.stringify(wrap(sample, source.items))
}

/** Places the sample where the flow looks for items: `$.data.items` becomes nested objects. */
const wrap = (sample: object, path: string): unknown => {
  const names = [...path.matchAll(/\.([^.[\]]+)/g)].flatMap(([, name]) => name ?? [])
  return names.reduceRight<unknown>((inner, name) => ({ [name]: inner }), sample)
}

const ANSWER_MS = 30_000

const post = async (
  io: Io,
  to: string,
  body: Uint8Array<ArrayBuffer>,
  headers: Record<string, string>,
): Promise<{ status: number; answer: unknown }> => {
  const response = await fetch(to, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
    signal: AbortSignal.any([io.signal, AbortSignal.timeout(ANSWER_MS)]),
  }).catch((thrown: unknown) => {
    const reason = thrown instanceof Error ? thrown.message : String(thrown)
    throw new StewardError('upstream_failed', { service: to, reason }, thrown)
  })
  const text = await response.text()
  const parsed = parseJson(text, 'the answer')
  return { status: response.status, answer: parsed.ok ? parsed.value : text }
}

const LOOKS = 60
const LOOK_MS = 500

const waitForRun = async (io: Io, flow: string, id: string) => {
  const client = await findDaemonClient(io)
  if (client === undefined) return undefined
  for (let look = 0; ; look++) {
    const { state, run, detail } = await client.call('getDelivery', { params: { flow, id } })
    if (state === 'done' || look >= LOOKS) return { state, run, detail }
    await wait(LOOK_MS, undefined, { signal: io.signal })
  }
}

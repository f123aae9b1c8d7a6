import type { IncomingMessage, ServerResponse } from 'node:http'
import { ERRORS, reasonOf, StewardError, toStewardError, VERSION_VARIABLE } from '@steward/contract'
import {
  type Request as EdgeRequest,
  Response as EdgeResponse,
  Log,
  LogLevel,
  MiniflareCoreError,
  type MiniflareOptions,
  type WorkerOptions,
} from 'miniflare'
import { type BackgroundParts, createBackgroundCount, describeBackground } from './background.ts'
import { explainRefusal } from './check-send.ts'
import type { Exchange } from './front.ts'
import type { QueueBroker } from './queue-broker.ts'
import { findStorageUsers } from './storage-users.ts'
import type { WorkCount } from './work-count.ts'
import { callsApart, isApart, type WorkerDirectory } from './worker-directory.ts'

export interface HostPorts {
  /** Secrets and settings by name; a worker gets those that it declares. */
  environment: Readonly<Record<string, string>>
  /** Variables for every worker, such as ALLOW_PRIVATE_HOSTS. */
  vars: Readonly<Record<string, string>>
  /** The virtual time, if it is in use. */
  virtualNow: (() => number) | undefined
  /** The folder of KV, D1 and R2. */
  stateFolder: string
  /** Counts background work of workers with storage, if needed. */
  storageWork?: WorkCount
  sendToQueue: QueueBroker['send']
  /** The version of a pipeline whose actions may change while it runs. */
  versionOf: (worker: string) => string
  /** Handles calls to workers of the sandbox tier, by worker name. */
  callSandbox: (worker: string, exchange: Exchange) => Promise<void>
  /** A line logged by a worker or the runtime. */
  log: (level: string, message: string) => void
  warn: (message: string) => void
  /** How long workers in their own process may take to load. */
  loadMs?: number
  /** workerd ended by itself and cannot be started again. */
  onLost: (error: StewardError) => void
}

const QUEUE_BINDING = 'steward-queue'
/** Handles requests to the runtime's shared entry, which is not meant to be used. */
const GATE = 'steward-gate'
const LOOPBACK = '127.0.0.1'

/** Everything that runs, as options of one workerd process (Miniflare 4). */
export const describeHost = (
  directories: readonly WorkerDirectory[],
  ports: HostPorts,
  runsHere: (directory: WorkerDirectory) => boolean = (each) => !isApart(each),
): MiniflareOptions => {
  const storageUsers = findStorageUsers(directories)
  const now = ports.virtualNow ?? Date.now
  const background = ports.storageWork && createBackgroundCount(ports.storageWork)
  let startedAtMs = now()
  return {
    host: LOOPBACK,
    port: 0,
    cf: false,
    telemetry: { enabled: false },
    log: createRestartLog((error) => {
      background?.endAll()
      ports.onLost(error)
    }),
    // Miniflare throws if this returns a value.
    handleStructuredLogs: ({ level, message }: { level: string; message: string }): void => {
      ports.log(level, message)
    },
    structuredWorkerdLogs: true,
    unsafeHandleRuntimeRestart: () => {
      startedAtMs = now()
      background?.endAll()
      ports.warn(
        'workerd ended unexpectedly and was restarted; requests in progress failed, and their messages are delivered again',
      )
    },
    defaultPersistRoot: ports.stateFolder,
    workers: [
      { name: GATE, modules: true, script: GATE_SCRIPT },
      ...(directories.some(hasProducer) ? [describeQueueBinding(ports)] : []),
      ...directories.filter(runsHere).map((directory) => {
        const counted = storageUsers.has(directory.worker) ? background : undefined
        const parts = describeBackground(directory.configuration.main, counted)
        return describeWorker(directory, directories, ports, parts, () => startedAtMs)
      }),
    ],
  }
}

/**
 * Miniflare reports a failed restart of workerd nowhere but in its log. The class is made on use, so
 * that importing this file does not load Miniflare.
 */
const createRestartLog = (onLost: HostPorts['onLost']): Log => {
  class RestartLog extends Log {
    override error(thrown: Error): void {
      // Other errors are also answered to the worker that caused them.
      if (!(thrown instanceof MiniflareCoreError) || thrown.code !== 'ERR_RUNTIME_FAILURE') return
      const reason = reasonOf(thrown.cause ?? thrown)
      onLost(new StewardError('workerd_lost', { reason }, thrown))
    }
  }
  return new RestartLog(LogLevel.NONE)
}

const hasProducer = ({ configuration, tier }: WorkerDirectory): boolean =>
  tier === 'isolate' && configuration.queues.producers.length > 0

/** Miniflare takes it for an ordinary worker, and complains, if no worker binds to it. */
const describeQueueBinding = (ports: HostPorts): WorkerOptions => ({
  name: QUEUE_BINDING,
  modules: true,
  script: QUEUE_BINDING_SCRIPT,
  serviceBindings: { BROKER: (request: EdgeRequest) => takeBatch(request, ports) },
})

const GATE_SCRIPT = `export default { fetch: () => new Response('Not found', { status: 404 }) }`

const describeWorker = (
  directory: WorkerDirectory,
  all: readonly WorkerDirectory[],
  ports: HostPorts,
  background: BackgroundParts,
  startedAtMs: () => number,
): WorkerOptions => {
  const { worker, configuration, code, secrets } = directory
  const { [VERSION_VARIABLE]: version, ...vars } = configuration.vars
  const changes = version !== undefined && callsApart(directory, all)
  return {
    name: worker,
    modules: [
      ...background.modules,
      { type: 'ESModule', path: configuration.main, contents: code },
    ],
    compatibilityDate: configuration.compatibility_date,
    compatibilityFlags: configuration.compatibility_flags,
    bindings: {
      ...(changes ? vars : configuration.vars),
      ...ports.vars,
      ...pickSecrets(secrets, ports.environment),
    },
    serviceBindings: {
      ...describeServices(worker, configuration.services, all, ports),
      ...describeClock(worker, ports),
      ...(changes ? { [VERSION_VARIABLE]: () => new EdgeResponse(ports.versionOf(worker)) } : {}),
      ...(configuration.queues.consumers.length === 0
        ? {}
        : { CONSUMER_START: () => new EdgeResponse(String(startedAtMs())) }),
      ...background.serviceBindings,
    },
    wrappedBindings: Object.fromEntries(
      configuration.queues.producers.map(({ binding, queue }) => [
        binding,
        { scriptName: QUEUE_BINDING, bindings: { queue } },
      ]),
    ),
    kvNamespaces: byBinding(configuration.kv_namespaces, ({ id }) => id),
    // Two processes cannot share a database.
    d1Databases: directory.apart
      ? {}
      : byBinding(configuration.d1_databases, ({ database_id }) => database_id),
    r2Buckets: byBinding(configuration.r2_buckets, ({ bucket_name }) => bucket_name),
    durableObjects: Object.fromEntries(
      configuration.durable_objects.bindings.map(({ name, class_name }) => [
        name,
        { className: class_name, useSQLite: true },
      ]),
    ),
    unsafeDirectSockets: [{ host: LOOPBACK, port: 0 }],
    ...(directory.apart ? { outboundService: describeOutbound(directory, ports) } : {}),
  }
}

/**
 * Checked when a connection is opened, whatever the code does. The vendor of a model, and hosts that
 * the user allows, may be private; the worker's own guard checks those.
 */
const describeOutbound = (
  { network, secrets }: WorkerDirectory,
  { vars }: HostPorts,
): NonNullable<WorkerOptions['outboundService']> => {
  const mayBePrivate = secrets.includes('LLM_API_KEY') || Boolean(vars.ALLOW_PRIVATE_HOSTS)
  const reachable = mayBePrivate ? ['public', 'private'] : ['public']
  return {
    network: { allow: network ? reachable : [], tlsOptions: { trustBrowserCas: true } },
  }
}

const byBinding = <Entry extends { binding: string }>(
  entries: readonly Entry[],
  idOf: (entry: Entry) => string,
): Record<string, string> =>
  Object.fromEntries(entries.map((entry) => [entry.binding, idOf(entry)]))

const pickSecrets = (
  names: readonly string[],
  environment: Readonly<Record<string, string>>,
): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = environment[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )

/** Flows decide what is due; with a virtual clock they ask for its time. */
const describeClock = (
  worker: string,
  { virtualNow }: HostPorts,
): NonNullable<WorkerOptions['serviceBindings']> =>
  virtualNow === undefined || !worker.startsWith('exec-f-')
    ? {}
    : { CLOCK: () => new EdgeResponse(String(virtualNow())) }

/** A missing target is left out: the worker responds with `binding_missing`, and the others run. */
const describeServices = (
  worker: string,
  services: readonly { binding: string; service: string }[],
  all: readonly WorkerDirectory[],
  ports: HostPorts,
): NonNullable<WorkerOptions['serviceBindings']> => {
  const bindings: NonNullable<WorkerOptions['serviceBindings']> = {}
  for (const { binding, service } of services) {
    const target = all.find((each) => each.worker === service)
    if (target !== undefined && !isApart(target)) bindings[binding] = service
    else if (target !== undefined) {
      bindings[binding] = {
        node: (incoming: IncomingMessage, outgoing: ServerResponse) =>
          ports.callSandbox(service, { incoming, outgoing }),
      }
    } else ports.warn(`${worker}: binding ${binding} leads to ${service}, which does not exist`)
  }
  return bindings
}

const takeBatch = async (
  request: EdgeRequest,
  { sendToQueue, warn }: HostPorts,
): Promise<EdgeResponse> => {
  const queue = decodeURIComponent(new URL(request.url).pathname.slice(1))
  try {
    const sent = await sendToQueue(queue, await request.json())
    if (sent.ok) return EdgeResponse.json({ messages: sent.value })
    return refuse(sent.error)
  } catch (thrown) {
    warn(`queue ${queue}: a batch was not stored: ${reasonOf(thrown)}`)
    return refuse(toStewardError(thrown))
  }
}

const refuse = (error: StewardError): EdgeResponse =>
  EdgeResponse.json(
    { error: explainRefusal(error), code: error.code },
    { status: ERRORS[error.code].status },
  )

/**
 * The queue binding that a worker sees, as the script of a wrapped binding in workerd. It resolves
 * only after the broker outside has the messages on disk. Bodies travel as JSON text, so that the
 * broker measures the bytes that are stored.
 */
const QUEUE_BINDING_SCRIPT = `
const toEntry = ({ body, contentType = 'json', delaySeconds }, index) => {
  const of = 'message ' + (index + 1)
  if (contentType !== 'json' && contentType !== 'text') {
    throw new TypeError(of + ": contentType '" + contentType + "' is not known to the local queue; use json or text")
  }
  const json = JSON.stringify(body)
  if (json === undefined) throw new TypeError(of + ': its body is ' + typeof body + ', which JSON cannot represent')
  return { json, delaySeconds }
}

export default ({ BROKER, queue }) => {
  const sendBatch = async (messages, { delaySeconds } = {}) => {
    const entries = Array.from(messages, toEntry)
    const response = await BROKER.fetch('https://broker/' + encodeURIComponent(queue), {
      method: 'POST',
      body: JSON.stringify({ messages: entries, delaySeconds }),
    })
    const answer = await response.json()
    if (!response.ok) throw Object.assign(new Error(answer.error), { code: answer.code })
    return answer
  }
  return {
    sendBatch,
    send: (body, options = {}) => sendBatch([{ body, ...options }]),
  }
}
`

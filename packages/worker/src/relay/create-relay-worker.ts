import { isJsonObject, RELAY_WORKER, StewardError } from '@steward/contract'
import type { WorkerEnv } from '../env.ts'
import { createFetchHandler } from '../http/create-fetch-handler.ts'
import { type FetchHandler, PLATFORM_PORTS, type WorkerPorts } from '../platform.ts'

/** The durable object class of the relay, and its binding. */
export const RELAY_CLASS = 'Relay'
export const RELAY_BINDING = 'RELAY'

/** The files of the phone's page, by path. Binary files are base64. */
export type PhonePage = Readonly<
  Record<string, { type: string; body: string; encoding?: 'base64' }>
>

interface RelayNamespace {
  idFromName: (name: string) => unknown
  get: (id: unknown) => { fetch: (request: Request) => Promise<Response> }
}

/**
 * The worker between phones and the daemon, so that no port has to be opened: it serves the page of
 * the phone, and passes everything else to one durable object.
 */
export const createRelayWorker = (
  page: PhonePage,
  ports: WorkerPorts = PLATFORM_PORTS,
): { fetch: FetchHandler } => ({
  fetch: createFetchHandler({
    primitive: 'relay',
    name: RELAY_WORKER,
    ports,
    authenticatesItself: ({ url, method }) => {
      const { pathname } = new URL(url)
      return pathname.startsWith('/box/') || (method === 'GET' && Object.hasOwn(page, pathname))
    },
    handle: async (request, env) => {
      const { pathname } = new URL(request.url)
      const file = request.method === 'GET' ? page[pathname] : undefined
      if (file !== undefined) return serveFile(file)
      const relays = findRelay(env)
      return relays.get(relays.idFromName(RELAY_WORKER)).fetch(request)
    },
  }),
})

const HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-cache',
}

const serveFile = ({ type, body, encoding }: PhonePage[string]): Response =>
  new Response(encoding === 'base64' ? bytesOf(body) : body, {
    headers: { ...HEADERS, 'content-type': type },
  })

const bytesOf = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text), (each) => each.charCodeAt(0))

const findRelay = (env: WorkerEnv): RelayNamespace => {
  const found = env[RELAY_BINDING]
  if (isNamespace(found)) return found
  throw new StewardError('binding_missing', { reason: `this worker has no ${RELAY_BINDING}` })
}

const isNamespace = (value: unknown): value is RelayNamespace =>
  isJsonObject(value) && typeof value.idFromName === 'function' && typeof value.get === 'function'

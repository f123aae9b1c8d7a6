import Newest from '@anthropic-ai/sdk'
import Oldest from '@anthropic-ai/sdk-0.95'
import Middle from '@anthropic-ai/sdk-0.137'

export interface ClientMethod {
  /** Below `client.beta`, such as `agents.versions.list`. */
  name: string
  /** The versions of the client that have it. */
  versions: string[]
  /** What it sends; undefined if it runs in the client alone. */
  request: { method: string; path: string } | undefined
}

/** A value for every id and parameter. */
const ID = 'id_0'

const CLIENTS = { '1.8': Newest, '0.137': Middle, '0.95': Oldest }

/** Calls every method of the clients' beta surface and records the request that it sends. */
export const walkClients = async (): Promise<ClientMethod[]> => {
  const found = new Map<string, ClientMethod>()
  for (const [version, Client] of Object.entries(CLIENTS)) {
    let request: ClientMethod['request']
    const client = new Client({
      apiKey: 'none',
      baseURL: 'http://127.0.0.1:9',
      maxRetries: 0,
      fetch: async (input, init) => {
        const url = new URL(input instanceof Request ? input.url : input)
        // The client tests its runtime's capabilities with a `data:` URL before it sends a form.
        if (url.protocol === 'data:') return fetch(input, init)
        request ??= { method: init?.method?.toUpperCase() ?? 'GET', path: url.pathname }
        return new Response('{}', { headers: { 'content-type': 'application/json' } })
      },
    })
    for (const { name, call } of listMethods(client.beta, '')) {
      request = undefined
      if (IN_BACKGROUND.has(name)) {
        note(found, { name, versions: [version], request })
        continue
      }
      // Only the request matters.
      await attempt(() => call(ID, PARAMETERS))
      // A method without an id in its path takes its parameters first.
      if (request === undefined) await attempt(() => call(PARAMETERS))
      note(found, { name, versions: [version], request })
    }
  }
  return [...found.values()]
}

/** They go on after the call, and their requests are those of other methods. */
const IN_BACKGROUND = new Set(['messages.stream', 'messages.toolRunner', 'messages.thread'])

const note = (found: Map<string, ClientMethod>, method: ClientMethod): void => {
  const known = found.get(method.name)
  if (known === undefined) found.set(method.name, method)
  else known.versions.push(...method.versions)
}

interface Callable {
  name: string
  call: (...given: unknown[]) => unknown
}

const listMethods = (resource: object, path: string): Callable[] => {
  const own = Object.getOwnPropertyNames(Object.getPrototypeOf(resource)).flatMap((name) => {
    const method: unknown = Reflect.get(resource, name)
    if (name === 'constructor' || name.startsWith('_') || typeof method !== 'function') return []
    const call = (...given: unknown[]): unknown => Reflect.apply(method, resource, given)
    return [{ name: `${path}${name}`, call }]
  })
  const below = Object.entries(resource).flatMap(([name, value]: [string, unknown]) =>
    name !== '_client' && typeof value === 'object' && value !== null && '_client' in value
      ? listMethods(value, `${path}${name}.`)
      : [],
  )
  return [...own, ...below]
}

/** Has every parameter that a method asks for, and no others. */
const PARAMETERS = new Proxy(
  {},
  { get: (_, name) => (typeof name === 'string' && name !== 'then' ? ID : undefined) },
)

const attempt = async (call: () => unknown): Promise<void> => {
  try {
    await call()
  } catch {
    // The answer is empty, which some methods cannot read.
  }
}

import { type Fetch, StewardError } from '@steward/contract'

/** Follows one run through its asynchronous calls: the platform's `AsyncLocalStorage`. */
export interface RunScope {
  run: <T>(current: ActionNetwork, work: () => T) => T
  getStore: () => ActionNetwork | undefined
}

/** The network as one run of an action may use it. */
interface ActionNetwork {
  action: string
  /** The guarded and counted capability, if the manifest declares it. */
  fetch: Fetch | undefined
}

/**
 * Makes the global `fetch` of an action the same as its capability, so that the guard and the budget
 * cannot be bypassed, and removes the other ways out: sockets, and the end of the worker, which would
 * leave the caller without an error. Must run before the action's module is loaded.
 */
export const sealIsolate = (followed: RunScope): RunScope => {
  let refusing: ActionNetwork | undefined
  const scope: RunScope = {
    run: (current, work) => {
      if (current.fetch !== undefined) return followed.run(current, work)
      // An isolate has one action: without the capability all its runs are refused alike, and
      // following each costs time.
      refusing = current
      return work()
    },
    getStore: () => followed.getStore() ?? refusing,
  }
  const fetchOfRun = async (
    input: RequestInfo | URL,
    init: RequestInit = {},
  ): Promise<Response> => {
    const current = scope.getStore()
    if (current?.fetch === undefined) throw refused('fetch', current)
    if (!(input instanceof Request)) return current.fetch(input, init)
    const request = new Request(input, init)
    const { url, method, headers, redirect, signal } = request
    const body = request.body === null ? {} : { body: await request.arrayBuffer() }
    return current.fetch(url, { method, headers, redirect, signal, ...body })
  }
  const refuse = (name: string) =>
    function Refused(): never {
      throw refused(name, scope.getStore())
    }
  const globals = {
    fetch: fetchOfRun,
    WebSocket: refuse('WebSocket'),
    EventSource: refuse('EventSource'),
  }
  for (const [name, value] of Object.entries(globals)) {
    Object.defineProperty(globalThis, name, { value, writable: false, configurable: false })
  }
  const process: unknown = Reflect.get(globalThis, 'process')
  if (typeof process === 'object' && process !== null) {
    const exit = (): never => {
      const action = scope.getStore()?.action ?? 'The action'
      throw new StewardError('action_crashed', { action, reason: 'it called process.exit' })
    }
    for (const name of ['exit', 'abort', 'reallyExit']) {
      Object.defineProperty(process, name, { value: exit, configurable: true })
    }
  }
  return scope
}

const refused = (capability: string, current: ActionNetwork | undefined): StewardError =>
  new StewardError('capability_missing', {
    action: current?.action ?? 'The action',
    capability,
    reason:
      capability === 'fetch' && current !== undefined
        ? 'its manifest does not declare'
        : 'is only available as context.capabilities.fetch during a run',
  })

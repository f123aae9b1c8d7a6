import { reasonOf, StewardError } from '@steward/contract'
import { textIn, type WorkerEnv } from '../env.ts'
import { PLATFORM_PORTS, type WorkerPorts } from '../platform.ts'
import type { ContainerState, PlatformContainer } from './platform-container.ts'

const PORT = 8080
const READY_LIMIT_MS = 60_000
const LOOK_EVERY_MS = 250
/** A running container costs money, so an idle one is stopped. */
const IDLE_MS = 10 * 60_000

/**
 * The durable object that owns an action's container: starts it at the first request, waits until
 * it listens, forwards requests, and stops it when idle.
 */
export const createContainerClass = (
  secrets: readonly string[],
  ports: Pick<WorkerPorts, 'now' | 'startTimer'> = PLATFORM_PORTS,
) =>
  class ActionContainer {
    readonly #state: ContainerState
    readonly #env: WorkerEnv
    #ready: Promise<void> | undefined
    #active = 0

    constructor(state: ContainerState, env: WorkerEnv) {
      this.#state = state
      this.#env = env
    }

    async fetch(request: Request): Promise<Response> {
      this.#active += 1
      try {
        const container = this.#container()
        await this.#untilReady(container)
        return await container.getTcpPort(PORT).fetch(request)
      } finally {
        this.#active -= 1
        await this.#state.storage.setAlarm(ports.now() + IDLE_MS)
      }
    }

    async alarm(): Promise<void> {
      if (this.#active > 0) return this.#state.storage.setAlarm(ports.now() + IDLE_MS)
      const container = this.#container()
      this.#ready = undefined
      if (container.running) await container.destroy('idle')
    }

    #container(): PlatformContainer {
      const { container } = this.#state
      if (container !== undefined) return container
      throw new StewardError('binding_missing', { reason: 'this worker has no container' })
    }

    #untilReady(container: PlatformContainer): Promise<void> {
      if (!container.running) this.#ready = undefined
      this.#ready ??= this.#start(container).catch((thrown: unknown) => {
        this.#ready = undefined
        throw thrown
      })
      return this.#ready
    }

    async #start(container: PlatformContainer): Promise<void> {
      let ended: string | undefined
      if (!container.running) {
        container.start({ env: this.#environment(), enableInternet: true })
        container.monitor().then(
          () => {
            ended = 'it exited immediately'
          },
          (thrown: unknown) => {
            ended = reasonOf(thrown)
          },
        )
      }
      const giveUpAtMs = ports.now() + READY_LIMIT_MS
      while (!(await listens(container))) {
        if (ended !== undefined || ports.now() >= giveUpAtMs) {
          const reason = ended ?? `it does not listen after ${READY_LIMIT_MS} ms`
          throw new StewardError('upstream_failed', { service: 'the container', reason })
        }
        await new Promise<void>((resolve) => ports.startTimer(LOOK_EVERY_MS, resolve))
      }
    }

    #environment(): Record<string, string> {
      const values = secrets.flatMap((name) => {
        const value = textIn(this.#env, name)
        return value === undefined ? [] : [[name, value] as const]
      })
      return { ...Object.fromEntries(values), PORT: String(PORT) }
    }
  }

const listens = async (container: PlatformContainer): Promise<boolean> => {
  try {
    const request = new Request('http://container/health')
    const response = await container.getTcpPort(PORT).fetch(request)
    await response.body?.cancel()
    return response.ok
  } catch {
    // Refused until the server inside is up; the caller enforces the timeout.
    return false
  }
}

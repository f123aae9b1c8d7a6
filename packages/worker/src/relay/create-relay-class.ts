import {
  hashRelayAccess,
  RELAY_LIMITS,
  type RelayPage,
  relayDevices,
  relayFrame,
  relayPoll,
  relaySend,
  StewardError,
  toStewardError,
} from '@steward/contract'
import type { z } from 'zod'
import type { WorkerEnv } from '../env.ts'
import { readJsonBody } from '../http/read-input.ts'
import { notAllowed, respond, respondError } from '../http/respond.ts'
import { PLATFORM_PORTS, type WorkerPorts } from '../platform.ts'
import { createRelayStore, type RelayStore, type SqlStorage } from './relay-store.ts'

/** The durable object's state on the platform. */
interface RelayState {
  storage: { sql: SqlStorage; setAlarm: (timeMs: number) => Promise<void> }
}

const MINUTE_MS = 60_000
const BOX = /^\/box\/([\w-]{1,64})$/

/**
 * The durable object between paired devices and the daemon. It forwards frames that it cannot read:
 * the daemon is authenticated by the worker's token, a device by what its QR code contained.
 */
export const createRelayClass = (ports: Pick<WorkerPorts, 'now' | 'startTimer'> = PLATFORM_PORTS) =>
  class Relay {
    readonly #state: RelayState
    readonly #env: WorkerEnv
    readonly #store: RelayStore
    readonly #waiting = new Set<() => void>()
    readonly #recent = new Map<string, number[]>()

    constructor(state: RelayState, env: WorkerEnv) {
      this.#state = state
      this.#env = env
      this.#store = createRelayStore(state.storage.sql)
    }

    async fetch(request: Request): Promise<Response> {
      try {
        return await this.#answer(request)
      } catch (thrown) {
        return respondError(toStewardError(thrown), this.#env)
      }
    }

    async alarm(): Promise<void> {
      await this.#expire()
    }

    async #answer(request: Request): Promise<Response> {
      const { pathname, searchParams } = new URL(request.url)
      const [, device] = BOX.exec(pathname) ?? []
      await this.#expire()
      if (device !== undefined) {
        await this.#authenticate(device, request)
        if (request.method === 'POST') return this.#receive(device, request)
        if (request.method === 'GET') {
          const after = Number(searchParams.get('after') ?? 0)
          return this.#page(device, after, RELAY_LIMITS.waitMs, request.signal)
        }
      }
      if (request.method === 'POST' && pathname === '/relay/devices') {
        const { devices } = await readBody(request, relayDevices)
        this.#store.setDevices(devices)
        this.#wake()
        return respond({ ok: true, now: ports.now() })
      }
      if (request.method === 'POST' && pathname === '/relay/poll') {
        const { ack, waitMs } = await readBody(request, relayPoll)
        return this.#page(undefined, ack, waitMs, request.signal)
      }
      if (request.method === 'POST' && pathname === '/relay/send') {
        const { device: to, slot, frame } = await readBody(request, relaySend)
        this.#checkExpiry(frame.expires)
        if (this.#store.accessOf(to) === undefined) {
          throw new StewardError('not_found', { what: 'device', name: to, hint: '' })
        }
        this.#store.putForDevice(to, slot, frame)
        await this.#expire()
        this.#wake()
        return respond({ ok: true, now: ports.now() })
      }
      throw notAllowed(
        request,
        'POST /relay/devices, /relay/poll, /relay/send, GET or POST /box/<device>',
      )
    }

    async #authenticate(device: string, request: Request): Promise<void> {
      const given = /^Bearer (\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1]
      const hash = given === undefined ? '' : await hashRelayAccess(given)
      // Hashes are compared: how long it takes reveals nothing about what is shown.
      if (hash === '' || this.#store.accessOf(device) !== hash) {
        // A caller that is still sending would see a broken connection instead of the answer.
        const bytes = Number(request.headers.get('content-length') ?? 0)
        if (bytes <= 2 * RELAY_LIMITS.frameChars) await request.text()
        throw new StewardError('unauthorized')
      }
    }

    async #receive(device: string, request: Request): Promise<Response> {
      const frame = await readBody(request, relayFrame)
      this.#checkExpiry(frame.expires)
      this.#countFrame(device)
      if (!this.#store.putForDaemon(device, frame)) {
        const reason = 'the daemon has not read the last frames yet'
        throw new StewardError('rate_limited', { service: 'the relay', reason })
      }
      await this.#expire()
      this.#wake()
      return respond({ ok: true, now: ports.now() }, 202)
    }

    /** Waits until there is a frame, the time is over, or the caller leaves. */
    async #page(
      device: string | undefined,
      after: number,
      waitMs: number,
      left: AbortSignal,
    ): Promise<Response> {
      this.#store.confirm(device, after)
      const untilMs = ports.now() + Math.min(waitMs, RELAY_LIMITS.waitMs)
      const look = () => this.#store.list(device, after)
      let frames: RelayPage['frames'] = look()
      while (frames.length === 0 && ports.now() < untilMs && !left.aborted) {
        await this.#change(untilMs - ports.now())
        // A device that was revoked meanwhile is sent nothing.
        if (device !== undefined && this.#store.accessOf(device) === undefined) {
          throw new StewardError('unauthorized')
        }
        this.#store.expire(ports.now())
        frames = look()
      }
      return respond({ frames, now: ports.now() })
    }

    #change(waitMs: number): Promise<void> {
      return new Promise((resolve) => {
        const finish = (): void => {
          cancel()
          this.#waiting.delete(finish)
          resolve()
        }
        const cancel = ports.startTimer(waitMs, finish)
        this.#waiting.add(finish)
      })
    }

    #wake(): void {
      for (const finish of [...this.#waiting]) finish()
    }

    #checkExpiry(expiresMs: number): void {
      const leftMs = expiresMs - ports.now()
      if (leftMs > 0 && leftMs <= RELAY_LIMITS.frameMs) return
      const reason = leftMs > 0 ? 'it would be kept too long' : 'it expired'
      throw new StewardError('invalid_input', { subject: 'the frame', reason })
    }

    #countFrame(device: string): void {
      const now = ports.now()
      const times = (this.#recent.get(device) ?? []).filter((at) => at > now - MINUTE_MS)
      if (times.length >= RELAY_LIMITS.perMinute) {
        const reason = `more than ${RELAY_LIMITS.perMinute} frames in a minute`
        throw new StewardError('rate_limited', { service: 'the relay', reason })
      }
      this.#recent.set(device, [...times, now])
    }

    async #expire(): Promise<void> {
      const nextMs = this.#store.expire(ports.now())
      if (nextMs !== undefined) await this.#state.storage.setAlarm(nextMs)
    }
  }

const readBody = async <Schema extends z.ZodType>(
  request: Request,
  schema: Schema,
): Promise<z.infer<Schema>> => {
  const parsed = schema.safeParse(await readJsonBody(request))
  if (parsed.success) return parsed.data
  const reason = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
  throw new StewardError('invalid_input', { subject: 'the body', reason: reason.join('; ') })
}

import type { Socket } from 'node:net'
import { Transform } from 'node:stream'
import type { SecureContext } from 'node:tls'
import { reasonOf, StewardError } from '@steward/contract'
import type { Dial } from './dial.ts'
import type { StandInAddresses } from './dns/stand-in-addresses.ts'
import type { EgressDecision, EgressLimits } from './egress.ts'
import type { HostRules } from './host-rules.ts'
import type { Secret } from './secrets.ts'
import type { SessionAuthority } from './session-authority.ts'
import type { Target } from './target.ts'

/** The dependencies of one session's proxy. */
export interface ProxyContext {
  rules: HostRules
  /** Names by the addresses that stand for them inside. */
  addresses: Pick<StandInAddresses, 'find'>
  secrets: readonly Secret[]
  /** Present only if there are secrets. */
  authority: SessionAuthority | undefined
  /** The certificates that the proxy trusts where it terminates TLS. */
  trust: () => SecureContext
  dial: Dial
  limits: EgressLimits
  meter: Meter
  note(decision: Omit<EgressDecision, 'sessionId'>): void
}

/** Counts the bytes of all connections of a session together. */
export type Meter = () => Transform

export const createMeter = (limitBytes: number): Meter => {
  let passed = 0
  return () =>
    new Transform({
      transform: (chunk: Buffer, _, done) => {
        passed += chunk.length
        if (passed <= limitBytes) return done(null, chunk)
        done(
          new StewardError('payload_too_large', {
            subject: "the session's traffic",
            bytes: passed,
            limit: limitBytes,
          }),
        )
      },
    })
}

/** Why a request was refused, and its status. */
export interface Refusal {
  status: 403 | 502 | 504
  reason: string
}

/** Connects and records the outcome. */
export const dialNoted = async (
  context: ProxyContext,
  { host, port }: Target,
  noted: Pick<EgressDecision, 'way' | 'credentials' | 'reason'>,
): Promise<{ socket: Socket } | { refusal: Refusal }> => {
  try {
    const socket = await context.dial(host, port, context.limits.connectMs)
    context.note({ host, port, allowed: true, ...noted })
    return { socket }
  } catch (thrown) {
    const refusal = refusalFrom(thrown)
    const { reason } = refusal
    const judged =
      refusal.status === 403 ? { allowed: false } : ({ allowed: true, isUnreached: true } as const)
    context.note({ host, port, ...noted, ...judged, reason })
    return { refusal }
  }
}

export const refusalFrom = (thrown: unknown): Refusal => {
  const reason = reasonOf(thrown)
  if (!(thrown instanceof StewardError)) return { status: 502, reason }
  if (thrown.code === 'address_refused') return { status: 403, reason }
  return { status: thrown.code === 'timeout' ? 504 : 502, reason }
}

import type { EgressCredential, Networking } from '../hands.ts'
import type { Dial } from './dial.ts'
import type { Target } from './target.ts'

/** Where the sandbox shows `Egress.folder`, read-only. */
export const EGRESS_MOUNT = '/run/steward/egress'
/** The port on the sandbox's own loopback that the forwarder listens at. */
export const EGRESS_PORT = 3128

/**
 * A session's only way out: a proxy on a Unix socket, for a sandbox without a network of its own.
 * HTTP and HTTPS pass; raw TCP, UDP and DNS do not exist inside.
 */
export interface Egress {
  /** Holds the socket, the forwarder and the trusted certificates; to be bound at `EGRESS_MOUNT`. */
  folder: string
  /** For all programs inside: the proxy's address, placeholders of secrets, trusted certificates. */
  env: Readonly<Record<string, string>>
  close(): Promise<void>
}

export interface EgressOptions {
  sessionId: string
  networking: Networking
  credentials?: readonly EgressCredential[]
  /** An empty folder is made in it; its path should be short, for a socket's has at most 107 bytes. */
  parent?: string
  /** Where those who use it see `folder`; `EGRESS_MOUNT` if nothing is said. */
  seenAt?: 'its-own-path'
  limits?: Partial<EgressLimits>
  /** Connects to hosts; by default to public addresses only. */
  dial?: Dial
  /**
   * Package registries that whoever runs the server named. They are reached where package managers
   * are allowed, also at private addresses.
   */
  registries?: readonly Target[]
  /** Certificates that the proxy and what runs inside trust, besides those of this machine. */
  upstreamCa?: readonly string[]
  onDecision?: (decision: EgressDecision) => void
}

export interface EgressLimits {
  /** Open at a time. */
  connections: number
  /** In both directions, of all connections of this session. */
  bytes: number
  /** Without a byte in either direction. */
  idleMs: number
  connectMs: number
}

export const EGRESS_LIMITS: EgressLimits = {
  connections: 128,
  bytes: 20 * 1024 ** 3,
  idleMs: 300_000,
  connectMs: 20_000,
}

/** What was asked of the proxy and what it answered. Never holds a secret, a path or a query. */
export interface EgressDecision {
  sessionId: string
  host: string
  port: number
  /** `tunnel`: bytes passed on unread. `terminated`: TLS ended here, to put secrets in. */
  way: 'http' | 'tunnel' | 'terminated'
  allowed: boolean
  /** Why not, which rule let it pass, or why it was not reached all the same. */
  reason: string
  isUnreached?: true
  /** Names of the credentials that were put into this request. */
  credentials: readonly string[]
}

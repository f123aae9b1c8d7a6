import type { EgressCredential, Networking } from '../hands.ts'
import type { Dial, Resolve } from './dial.ts'
import type { Target } from './target.ts'

/** Where the sandbox mounts `Egress.folder`, read-only. */
export const EGRESS_MOUNT = '/run/steward/egress'
/** The port on the sandbox's loopback where the forwarder listens. */
export const EGRESS_PORT = 3128

/** The port on the sandbox's loopback where redirected connections and DNS queries arrive. */
export const REDIRECT_PORT = 3129

/**
 * A session's only network access: a proxy and a name server on Unix sockets, for a sandbox whose
 * network has no way out. Programs reach them through a forwarder inside: by HTTP proxy, and where
 * connections can be redirected, by DNS and TCP.
 */
export interface Egress {
  /** Holds the sockets, the forwarder and the trusted certificates; mounted at `EGRESS_MOUNT`. */
  folder: string
  /**
   * For all programs inside: the proxy's address, placeholders of secrets, trusted certificates.
   */
  env: Readonly<Record<string, string>>
  close(): Promise<void>
}

export interface EgressOptions {
  sessionId: string
  networking: Networking
  credentials?: readonly EgressCredential[]
  /** An empty folder is created in it. Keep the path short: a socket path has at most 107 bytes. */
  parent?: string
  /** The path where its users see `folder`; `EGRESS_MOUNT` by default. */
  seenAt?: 'its-own-path'
  limits?: Partial<EgressLimits>
  /** Connects to hosts; by default to public addresses only. */
  dial?: Dial
  /** Tells at a DNS query whether a name exists and may be reached; by default as `dial` does. */
  resolve?: Resolve
  /**
   * Package registries of the operator. They are reachable where package managers are allowed, even
   * at private addresses.
   */
  registries?: readonly Target[]
  /** Certificates that the proxy and the sandbox trust in addition to this machine's. */
  upstreamCa?: readonly string[]
  onDecision?: (decision: EgressDecision) => void
}

export interface EgressLimits {
  /** Maximum open connections. */
  connections: number
  /** In both directions, over all connections of this session. */
  bytes: number
  /** Timeout without a byte in either direction. */
  idleMs: number
  connectMs: number
}

export const EGRESS_LIMITS: EgressLimits = {
  connections: 128,
  bytes: 20 * 1024 ** 3,
  idleMs: 300_000,
  connectMs: 20_000,
}

/** A request to the proxy and its outcome. Never contains a secret, a path or a query. */
export interface EgressDecision {
  sessionId: string
  host: string
  port: number
  /**
   * `tunnel`: bytes pass unread. `terminated`: TLS ends here, to insert secrets. `name`: a DNS query.
   */
  way: 'http' | 'tunnel' | 'terminated' | 'name'
  allowed: boolean
  /** Why it was refused, which rule allowed it, or why it still failed. */
  reason: string
  isUnreached?: true
  /** Names of the credentials inserted into this request. */
  credentials: readonly string[]
}

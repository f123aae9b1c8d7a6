/** The part of the platform's container API that we use: `ctx.container` of a durable object. */
export interface PlatformContainer {
  /** True from the start, before anything listens. */
  readonly running: boolean
  start: (options: { env: Record<string, string>; enableInternet: boolean }) => void
  destroy: (reason?: string) => Promise<void>
  /** Settles when the container ends; rejects if it fails. */
  monitor: () => Promise<void>
  getTcpPort: (port: number) => { fetch: (request: Request) => Promise<Response> }
}

/** The durable object's state on the platform. */
export interface ContainerState {
  container?: PlatformContainer
  storage: { setAlarm: (timeMs: number) => Promise<void> }
}

/** The binding through which a worker reaches its durable objects. */
export interface ContainerNamespace {
  idFromName: (name: string) => unknown
  get: (id: unknown) => { fetch: (request: Request) => Promise<Response> }
}

/** The part of the platform's container API that we use: `ctx.container` of a durable object. */
export interface PlatformContainer {
  /** True from the start on, before anything listens. */
  readonly running: boolean
  start: (options: { env: Record<string, string>; enableInternet: boolean }) => void
  destroy: (reason?: string) => Promise<void>
  /** Settles when the container ends; rejects when it fails. */
  monitor: () => Promise<void>
  getTcpPort: (port: number) => { fetch: (request: Request) => Promise<Response> }
}

/** What the platform hands the durable object that owns a container. */
export interface ContainerState {
  container?: PlatformContainer
  storage: { setAlarm: (timeMs: number) => Promise<void> }
}

/** The binding under which a worker finds its durable objects. */
export interface ContainerNamespace {
  idFromName: (name: string) => unknown
  get: (id: unknown) => { fetch: (request: Request) => Promise<Response> }
}

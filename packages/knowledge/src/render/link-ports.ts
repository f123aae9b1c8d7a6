/** Link resolution for rendering one document. */
export interface LinkPorts {
  /** The dashboard's address for `[[target]]`; undefined if it does not exist. */
  resolveName?: (target: string) => string | undefined
  /** The same for a relative path. */
  resolvePath?: (path: string) => string | undefined
}

const PORTS = new WeakMap<object, LinkPorts>()

/** The environment of one rendering, through which the rules get their ports. */
export const createEnvironment = (ports: LinkPorts): Record<string, unknown> => {
  const environment = {}
  PORTS.set(environment, ports)
  return environment
}

export const portsOf = (environment: object): LinkPorts => PORTS.get(environment) ?? {}

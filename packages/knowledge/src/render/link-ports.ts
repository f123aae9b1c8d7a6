/** What a renderer asks for while it works on one document. */
export interface LinkPorts {
  /** The dashboard's address of what `[[target]]` names; nothing when there is no such thing. */
  resolveName?: (target: string) => string | undefined
  /** The same for a relative path. */
  resolvePath?: (path: string) => string | undefined
}

const PORTS = new WeakMap<object, LinkPorts>()

/** The environment of one rendering, which the rules find their ports by. */
export const createEnvironment = (ports: LinkPorts): Record<string, unknown> => {
  const environment = {}
  PORTS.set(environment, ports)
  return environment
}

export const portsOf = (environment: object): LinkPorts => PORTS.get(environment) ?? {}

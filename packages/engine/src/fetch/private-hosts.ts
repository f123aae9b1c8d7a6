/** Whether a host and port are on the list of allowed private hosts. */
export type AllowsPrivate = (hostname: string, port: string | number) => boolean

/** `host` allows every port, `host:port` that one. IPv6 addresses with a port need brackets. */
export const createPrivateHosts = (entries: readonly string[]): AllowsPrivate => {
  const allowed = new Set(entries.map(normalize))
  return (hostname, port) => {
    const host = normalize(hostname)
    return allowed.has(host) || allowed.has(`${host}:${port}`)
  }
}

/** The port of a URL, or its protocol's default. */
export const portOf = (url: URL): string => url.port || (url.protocol === 'https:' ? '443' : '80')

const normalize = (entry: string): string => {
  const text = entry.trim().toLowerCase()
  return text.split(':').length > 2 && !text.startsWith('[') ? `[${text}]` : text
}

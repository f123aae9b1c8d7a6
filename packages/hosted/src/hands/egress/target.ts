/** A host and a port, normalised for comparison with rules. */
export interface Target {
  host: string
  port: number
}

/**
 * Normalises the host of a CONNECT or URL for comparison with rules: lower case, punycode, no final
 * dot, addresses in canonical form. `undefined` if it is not a host.
 */
export const parseTarget = (authority: string, defaultPort?: number): Target | undefined => {
  const [, name = '', digits] = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(authority) ?? []
  const port = digits === undefined ? defaultPort : Number(digits)
  if (port === undefined || port < 1 || port > 65_535) return
  const url = /[/?#@\\\s]/.test(name) ? null : URL.parse(`http://${name}/`)
  const host = url?.hostname.replace(/\.$/, '') ?? ''
  if (host === '') return
  return { host, port }
}

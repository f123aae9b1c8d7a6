/** A host and a port, spelled as rules are compared with. */
export interface Target {
  host: string
  port: number
}

/**
 * What a CONNECT or a URL names, spelled in the one way that rules are compared with: lower case,
 * punycode, no final dot, addresses in their usual form. Nothing when it is no host at all.
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

import { ok, type Result } from '@steward/contract'
import { quote, quoteAll } from '../text/shell-quote.ts'
import { sandboxUnavailable } from './detect-bubblewrap.ts'
import { findCommand } from './find-command.ts'

/** The programs that set up a redirected network. */
export interface RedirectTools {
  ip: string
  nft: string
}

/** Finds the programs; the error names those that are missing. */
export const findRedirectTools = (path: string): Result<RedirectTools> => {
  const [ip, nft] = ['ip', 'nft'].map((name) => findCommand(name, path))
  if (ip?.ok && nft?.ok) return ok({ ip: ip.value, nft: nft.value })
  const missing = [...(ip?.ok ? [] : ['iproute2']), ...(nft?.ok ? [] : ['nftables'])]
  return sandboxUnavailable(`${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} missing`)
}

/**
 * Shell lines for a new network namespace: it has only a loopback, to which every address is routed,
 * and each TCP connection and DNS query arrives at one port of it. Without a listener there, nothing
 * is reached: no interface leads out. Loopback addresses stay those of the namespace.
 */
export const describeRedirect = ({ ip, nft }: RedirectTools, port: number): string[] => {
  const rules = `table inet steward {
  chain output {
    type nat hook output priority -100;
    ip daddr 127.0.0.0/8 return
    ip6 daddr ::1 return
    meta l4proto tcp redirect to :${port}
    udp dport 53 redirect to :${port}
  }
}`
  const routes = ['0.0.0.0/0', '::/0'].map((range) => `route add local ${range} dev lo`)
  const batch = ['link set lo up', ...routes].join('\n')
  const withoutIpv6 = quoteAll([ip, 'route', 'replace', 'local', 'default', 'dev', 'lo'])
  return [
    `${quote(ip)} -batch - <<< ${quote(batch)} 2>/dev/null || ${withoutIpv6} </dev/null`,
    `${quote(nft)} ${quote(rules)} </dev/null`,
  ]
}

import type { FlowEntry } from '@steward/contract'
import type { FlowAssets } from '@steward/worker'

/** The secrets that a flow's own definition names: a webhook's key, `${NAME}` in headers, the proxy's token. */
export const flowSecrets = ({ source, destination }: FlowEntry, { feeds }: FlowAssets): string[] =>
  [
    ...new Set([
      ...(source.type === 'webhook' ? [source.secret] : []),
      ...(source.type === 'api' ? namedIn(source.headers) : []),
      ...(source.type === 'feeds' && source.proxy_url !== undefined ? ['FEED_PROXY_TOKEN'] : []),
      ...(feeds ?? []).flatMap(({ headers }) => namedIn(headers)),
      ...(destination.type === 'api' ? namedIn(destination.headers) : []),
    ]),
  ].toSorted()

const namedIn = (headers: Record<string, string> = {}): string[] =>
  Object.values(headers).flatMap((value) =>
    [...value.matchAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g)].flatMap(([, name]) => name ?? []),
  )

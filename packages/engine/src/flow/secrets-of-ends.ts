import type { FlowDestination, FlowSource } from '@steward/contract'

/** The names of the secrets that a source needs. */
export const secretsOfSource = (source: FlowSource): string[] => {
  switch (source.type) {
    case 'webhook':
      return [source.secret]
    case 'api':
      return namesInHeaders(source.headers)
    case 'feeds':
      return source.proxy_url === undefined ? [] : ['FEED_PROXY_TOKEN']
    case 'mailbox':
      return [source.password]
    case 'command':
      return source.secrets ?? []
    default:
      return []
  }
}

/** The same for a destination. */
export const secretsOfDestination = (destination: FlowDestination): string[] => {
  switch (destination.type) {
    case 'api':
      return namesInHeaders(destination.headers)
    case 'webhook':
      return [
        ...namesInHeaders(destination.headers),
        ...(destination.secret === undefined ? [] : [destination.secret]),
      ]
    case 'slack':
    case 'discord':
      return [destination.secret]
    case 's3':
      return [destination.accessKeyId, destination.secretAccessKey]
    default:
      return []
  }
}

/** `${NAME}` in the values of headers. */
export const namesInHeaders = (headers: Record<string, string> = {}): string[] =>
  Object.values(headers).flatMap((value) =>
    [...value.matchAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g)].flatMap(([, name]) => name ?? []),
  )

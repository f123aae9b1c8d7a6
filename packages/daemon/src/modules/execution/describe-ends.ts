import type { FlowDestination, FlowSource } from '@steward/contract'

/** Where a flow's items come from, in a few words. */
export const describeSource = (source: FlowSource): string => {
  switch (source.type) {
    case 'rss':
    case 'api':
      return source.url
    case 'webhook':
      return 'signed requests'
    case 'file':
      return source.path
    case 'feeds':
      return 'feeds.json'
    case 'queue':
      return source.queue
  }
}

/** Where a flow's results go, in a few words. */
export const describeDestination = (destination: FlowDestination): string => {
  switch (destination.type) {
    case 'email':
      return destination.address
    case 'file':
      return destination.path
    case 'database':
      return destination.table
    case 'api':
      return destination.url
    case 'queue':
      return destination.queue
    case 'notify':
      return destination.kind ?? 'your channels'
  }
}

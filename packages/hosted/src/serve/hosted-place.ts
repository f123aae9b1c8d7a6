import { join } from 'node:path'
import { HOSTED_SERVER_FILE } from '@steward/contract'

/** Where hosted agents keep what is theirs within the data home. */
export interface HostedPlace {
  /** The data home itself. */
  home: string
  folder: string
  database: string
  masterKey: string
  /** A key of this machine's own, for its command line. */
  ownKey: string
  /** Where the server that runs now listens. */
  server: string
}

export const hostedPlaceOf = (home: string): HostedPlace => {
  const folder = join(home, 'hosted')
  return {
    home,
    folder,
    database: join(home, 'state', 'hosted.sqlite'),
    masterKey: join(folder, 'master.key'),
    ownKey: join(folder, 'own.key'),
    server: join(home, HOSTED_SERVER_FILE),
  }
}

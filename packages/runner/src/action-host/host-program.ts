import { join } from 'node:path'

/** The program that runs inside a host. The build puts the place of the bundled one here. */
export const HOST_PROGRAM = join(import.meta.dirname, 'host', 'main.ts')

import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { findEdgeParts } from '@steward/platform'

const installation = join(import.meta.dirname, '..', '..', '..')

/**
 * The folder with the sources that workers are bundled from and with the packages that build and run
 * them: the clone, or what `steward edge install` installed for the packed program.
 */
export const EDGE_ROOT = findEdgeParts(installation, process.env, homedir())?.folder ?? installation

/** The library as sources; the packed program itself has compiled actions only. */
export const EDGE_LIBRARY = join(EDGE_ROOT, 'library')

/** Loads packages as this package would. */
export const requireFromEdge = createRequire(join(EDGE_ROOT, 'packages', 'edge', 'package.json'))

import { join } from 'node:path'

/** The module that renders texts, for a thread to load. The build puts the place of the bundled one here. */
export const MARKDOWN_MODULE = join(import.meta.dirname, 'render-sent-text.ts')

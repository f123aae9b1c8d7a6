/** Of a source file: its path in the clone, when it last changed in any way, and its size. */
export type Stamp = [path: string, changedMs: number, size: number]

export declare const SOURCES_CHANGED: number
export declare const stampOf: (root: string, path: string) => Stamp
export declare const isCurrent: (build: string, root: string, word: string) => boolean
export declare const findBuild: (
  root: string,
  word: string,
  /** Where Node keeps the compiled code of the build's own modules. */
  compileCache?: string,
) => string | undefined
/** In a build: a file named after the pid of each process that may still read chunks of it. */
export declare const READERS: string

const BY_ENDING: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  gif: 'image/gif',
  html: 'text/html',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  json: 'application/json',
  md: 'text/markdown',
  pdf: 'application/pdf',
  png: 'image/png',
  svg: 'image/svg+xml',
  txt: 'text/plain',
  webp: 'image/webp',
  xml: 'application/xml',
  zip: 'application/zip',
}

export const UNKNOWN_TYPE = 'application/octet-stream'

/** Derives the MIME type from the file name. */
export const mimeTypeOf = (path: string): string =>
  BY_ENDING[path.split('.').at(-1)?.toLowerCase() ?? ''] ?? UNKNOWN_TYPE

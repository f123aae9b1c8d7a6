/** Audio formats that providers return. */
export const AUDIO_FORMATS = ['mp3', 'wav', 'flac', 'ogg'] as const
export type AudioFormat = (typeof AUDIO_FORMATS)[number]

/** One program that plays a file. */
export interface Player {
  name: string
  platforms: readonly NodeJS.Platform[]
  formats: readonly AudioFormat[]
  /** `volume` from 0 to 1. */
  args: (file: string, volume: number) => string[]
}

const UNIX = ['linux', 'freebsd', 'openbsd'] as const
const ALL: readonly AudioFormat[] = AUDIO_FORMATS

/** In order of preference: the desktop's sound server first, players without mixing last. */
export const PLAYERS: readonly Player[] = [
  {
    name: 'afplay',
    platforms: ['darwin'],
    formats: ['mp3', 'wav', 'flac'],
    args: (file, volume) => ['-v', decimal(volume), file],
  },
  {
    name: 'pw-play',
    platforms: UNIX,
    formats: ['wav', 'flac', 'ogg'],
    args: (file, volume) => [`--volume=${decimal(volume)}`, file],
  },
  {
    name: 'pw-cat',
    platforms: UNIX,
    formats: ['wav', 'flac', 'ogg'],
    args: (file, volume) => ['--playback', `--volume=${decimal(volume)}`, file],
  },
  {
    name: 'paplay',
    platforms: UNIX,
    formats: ['wav', 'flac', 'ogg'],
    args: (file, volume) => [`--volume=${Math.round(volume * 65_536)}`, file],
  },
  {
    name: 'mpg123',
    platforms: [...UNIX, 'darwin'],
    formats: ['mp3'],
    args: (file, volume) => ['-q', '-f', String(Math.round(volume * 32_768)), file],
  },
  {
    name: 'ffplay',
    platforms: [...UNIX, 'darwin'],
    formats: ALL,
    args: (file, volume) => [
      '-nodisp',
      '-autoexit',
      '-hide_banner',
      '-loglevel',
      'error',
      '-volume',
      String(Math.round(volume * 100)),
      file,
    ],
  },
  // Newer builds of the sound servers' tools decode MP3; older ones fail and are skipped.
  {
    name: 'pw-play',
    platforms: UNIX,
    formats: ['mp3'],
    args: (file, volume) => [`--volume=${decimal(volume)}`, file],
  },
  {
    name: 'paplay',
    platforms: UNIX,
    formats: ['mp3'],
    args: (file, volume) => [`--volume=${Math.round(volume * 65_536)}`, file],
  },
  { name: 'aplay', platforms: UNIX, formats: ['wav'], args: (file) => ['-q', file] },
]

const decimal = (volume: number): string => String(Math.round(volume * 1000) / 1000)

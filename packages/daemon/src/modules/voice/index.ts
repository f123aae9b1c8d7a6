export { createPrograms } from './players/programs.ts'
export { createVoiceModule } from './voice-module.ts'

/**
 * React's build for development keeps a record of every drawing, for ever, and takes several times as long. This must be
 * imported before anything of React, which looks at it once.
 */
process.env.NODE_ENV ??= 'production';

//! Who talks to the daemon: plugin and command line over Unix sockets, scrapers over HTTP.

//! Painting frames into pictures on a graphics adapter, without a window.
//!
//! Options are set for equal pictures on every machine: no dithering, texture filtering in the shader, and a software
//! adapter where there is one.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, anyhow, ensure};
use eframe::egui::{self, TexturesDelta};
use eframe::egui_wgpu::{self, RenderState, RendererOptions, ScreenDescriptor, WgpuConfiguration, wgpu};

/// Pixels a side that a picture may have: what every adapter can draw.
pub const MAX_SIDE: u32 = 8192;

/// Longest time that an adapter may take over one picture.
const PATIENCE: Duration = Duration::from_mins(1);

/// What to do without an adapter.
pub const NO_ADAPTER: &str = "no graphics adapter found: install a driver for Vulkan; without a graphics card, a software \
                          one (Debian and Ubuntu: `apt install mesa-vulkan-drivers`; Fedora: `dnf install \
                          mesa-vulkan-drivers`)";

/// An adapter that paints frames.
pub struct Renderer {
    state: RenderState,
}

impl Renderer {
    /// Finds an adapter.
    ///
    /// # Errors
    /// When there is none; the message says what to install.
    pub fn new() -> anyhow::Result<Self> {
        let mut setup = egui_wgpu::WgpuSetupCreateNew::without_display_handle();
        // OpenGL without a window is unreliable, and complains where there is no desktop.
        setup.instance_descriptor.backends = wgpu::Backends::from_env().unwrap_or(wgpu::Backends::PRIMARY);
        setup.native_adapter_selector = Some(Arc::new(|adapters, _| {
            let best = adapters.iter().min_by_key(|adapter| preference(&adapter.get_info()));
            best.cloned().ok_or_else(|| NO_ADAPTER.to_owned())
        }));
        let config = WgpuConfiguration { wgpu_setup: setup.into(), ..WgpuConfiguration::default() };
        let created = pollster::block_on(async {
            let instance = config.wgpu_setup.new_instance().await;
            RenderState::create(&config, &instance, None, RendererOptions::PREDICTABLE).await
        });
        match created {
            Ok(state) => Ok(Self { state }),
            Err(egui_wgpu::WgpuError::CustomNativeAdapterSelectionError(message)) => Err(anyhow!(message)),
            Err(error) => Err(anyhow!(error).context("the graphics adapter cannot be used")),
        }
    }

    /// The adapter's name and driver.
    pub fn adapter(&self) -> String {
        describe(&self.state.adapter.get_info())
    }

    /// Paints triangles into a picture of `size` pixels, after applying the textures that changed.
    pub(super) fn paint(
        &mut self,
        textures: &mut TexturesDelta,
        primitives: &[egui::ClippedPrimitive],
        size: [u32; 2],
        pixels_per_point: f32,
    ) -> anyhow::Result<image::RgbaImage> {
        let [width, height] = size;
        ensure!(
            (1..=MAX_SIDE).contains(&width) && (1..=MAX_SIDE).contains(&height),
            "a picture of {width}×{height} pixels cannot be drawn: a side has 1 to {MAX_SIDE}"
        );
        self.apply(textures);
        let device = &self.state.device;
        let screen = ScreenDescriptor { size_in_pixels: size, pixels_per_point };
        let texture = device.create_texture(&wgpu::TextureDescriptor {
            label: Some("window"),
            size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: self.state.target_format,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
            view_formats: &[],
        });
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("window") });
        let mut renderer = self.state.renderer.write();
        let buffers = renderer.update_buffers(device, &self.state.queue, &mut encoder, primitives, &screen);
        {
            let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
            let target = wgpu::RenderPassColorAttachment {
                view: &view,
                resolve_target: None,
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT),
                    store: wgpu::StoreOp::Store,
                },
                depth_slice: None,
            };
            let pass = wgpu::RenderPassDescriptor {
                label: Some("window"),
                color_attachments: &[Some(target)],
                ..wgpu::RenderPassDescriptor::default()
            };
            renderer.render(&mut encoder.begin_render_pass(&pass).forget_lifetime(), primitives, &screen);
        }
        drop(renderer);
        let row = padded_row(width);
        let pixels = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("picture"),
            size: u64::from(row) * u64::from(height),
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(row), rows_per_image: None };
        let into = wgpu::TexelCopyBufferInfo { buffer: &pixels, layout };
        encoder.copy_texture_to_buffer(texture.as_image_copy(), into, texture.size());
        self.state.queue.submit(buffers.into_iter().chain([encoder.finish()]));
        self.read(&pixels, row, size)
    }

    fn apply(&mut self, textures: &mut TexturesDelta) {
        let (device, queue) = (&self.state.device, &self.state.queue);
        let mut renderer = self.state.renderer.write();
        for (id, changes) in textures.set.drain() {
            for change in changes {
                renderer.update_texture(device, queue, id, &change);
            }
        }
        for id in textures.free.drain() {
            renderer.free_texture(&id);
        }
    }

    /// Waits for the picture and takes it out of the buffer, whose rows are `row` bytes.
    fn read(&self, pixels: &wgpu::Buffer, row: u32, [width, height]: [u32; 2]) -> anyhow::Result<image::RgbaImage> {
        let (send, mapped) = crossbeam_channel::bounded(1);
        pixels.map_async(wgpu::MapMode::Read, .., move |result| drop(send.try_send(result)));
        let wait = wgpu::PollType::Wait { submission_index: None, timeout: Some(PATIENCE) };
        self.state.device.poll(wait).context("the graphics adapter did not finish the picture")?;
        mapped.try_recv().context("the graphics adapter did not hand the picture out")??;
        let bytes = pixels.get_mapped_range(..).context("the picture cannot be read from the graphics adapter")?;
        let wanted = width as usize * 4;
        let packed = bytes.chunks_exact(row as usize).flat_map(|line| &line[..wanted]).copied().collect();
        image::RgbaImage::from_raw(width, height, packed).context("the picture is not as large as it was asked for")
    }
}

/// Software first: it paints the same everywhere.
fn preference(info: &wgpu::AdapterInfo) -> u8 {
    match info.device_type {
        wgpu::DeviceType::Cpu => 0,
        wgpu::DeviceType::DiscreteGpu => 1,
        wgpu::DeviceType::IntegratedGpu | wgpu::DeviceType::VirtualGpu => 2,
        wgpu::DeviceType::Other => 3,
    }
}

/// An adapter as people know it.
pub fn describe(info: &wgpu::AdapterInfo) -> String {
    let driver = if info.driver_info.is_empty() { &info.driver } else { &info.driver_info };
    if driver.is_empty() { info.name.clone() } else { format!("{} ({driver})", info.name) }
}

/// Bytes of a row in a buffer that a texture is copied into: a multiple of what the copy demands.
fn padded_row(width: u32) -> u32 {
    (width * 4).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT)
}
